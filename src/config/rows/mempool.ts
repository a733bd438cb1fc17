import { boolean } from "../kinds/kinds.ts";
import { bigIntegerUpTo, integer, MAX_COUNT, MAX_MILLISECONDS } from "../kinds/number-kinds.ts";
import { live, not, rowsOf } from "../kinds/option.ts";
import { allowList } from "../kinds/protocol-kinds.ts";

const rows = rowsOf("Mempool", "mempool");

export const mempool = {
  txPublicSetupAllowListExtend: rows.withDefault(
    {
      flags: [
        "--txPublicSetupAllowListExtend",
        "--sequencer.txPublicSetupAllowListExtend",
        "--p2p.txPublicSetupAllowListExtend",
      ],
      env: ["TX_PUBLIC_SETUP_ALLOWLIST"],
      kind: allowList,
      to: [live("checks.setupAllowList")],
      admin: {},
      meaning: "functions that txs may call in the setup phase, in addition to the built-in ones",
      usedBy: "rpc",
    },
    [],
  ),
  archivedTxLimit: rows.withDefault(
    {
      flags: ["--p2p.archivedTxLimit"],
      env: ["P2P_ARCHIVED_TX_LIMIT"],
      kind: integer(0, MAX_COUNT),
      to: ["pool.archived"],
      meaning: "finalized txs to keep, without their proofs; 0 for none",
    },
    0,
  ),
  maxPendingTxCount: rows.withDefault(
    {
      flags: ["--p2p.maxPendingTxCount"],
      env: ["P2P_MAX_PENDING_TX_COUNT"],
      kind: integer(0, MAX_COUNT),
      to: [live("pool.maxPending")],
      admin: {},
      meaning: "maximum pending txs; beyond it those with the lowest fees are evicted; 0 for no limit",
    },
    1000,
  ),
  disableTransactions: rows.withDefault(
    {
      flags: ["--p2p.disableTransactions"],
      env: ["TRANSACTIONS_DISABLED"],
      kind: boolean,
      to: [live("checks.permitted", not)],
      admin: {},
      meaning: "reject all txs from RPC and P2P",
    },
    false,
  ),
  txPoolDeleteTxsAfterReorg: rows.withDefault(
    {
      flags: ["--p2p.txPoolDeleteTxsAfterReorg"],
      env: ["P2P_TX_POOL_DELETE_TXS_AFTER_REORG"],
      kind: boolean,
      to: ["pool.deleteAfterReorg"],
      meaning: "delete the txs of pruned blocks instead of returning them to the pool",
    },
    false,
  ),
  minTxPoolAgeMs: rows.withDefault(
    {
      flags: ["--p2p.minTxPoolAgeMs"],
      env: ["P2P_MIN_TX_POOL_AGE_MS"],
      kind: integer(0, MAX_MILLISECONDS),
      to: ["sequencer.minTxPoolAgeMs"],
      meaning: "minimum age of a tx before a block may include it, in ms",
      usedBy: "sequencer",
    },
    2000,
  ),
  priceBumpPercentage: rows.withDefault(
    {
      flags: ["--p2p.priceBumpPercentage"],
      env: ["P2P_RPC_PRICE_BUMP_PERCENTAGE"],
      kind: bigIntegerUpTo(1_000_000n),
      to: ["pool.priceBumpPercentage"],
      meaning: "percentage by which the fee of a tx from RPC must exceed that of the tx it replaces",
    },
    10n,
  ),
};
