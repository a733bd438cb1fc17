import type { GasFees } from "../../protocol/fees/gas-fees.ts";
import type { Fr } from "../../protocol/field.ts";
import { uncovered } from "./balance-walk.ts";
import type { PendingTxs } from "./pending-txs.ts";
import type { PoolEntry } from "./pool-entry.ts";

/** What the pool needs to know of an added block. */
export interface BlockContents {
  /** Seconds. */
  timestamp: bigint;
  /** Nullifiers of all txs of the block, as map keys. */
  nullifierKeys: ReadonlySet<string>;
}

/** Pending txs with a nullifier of the block (docs/protocol/07-transactions-and-fees.md#723-eviction). */
export function spent(pending: PendingTxs, { nullifierKeys }: Pick<BlockContents, "nullifierKeys">): PoolEntry[] {
  return [...pending.all()].filter((entry) => entry.nullifierKeys.some((key) => nullifierKeys.has(key)));
}

/** Pending txs that no later block can include (docs/protocol/07-transactions-and-fees.md#723-eviction). */
export function expired(pending: PendingTxs, { timestamp }: Pick<BlockContents, "timestamp">): PoolEntry[] {
  return [...pending.all()].filter((entry) => entry.expiration <= timestamp);
}

/** Pending txs that offer less than the min fees (docs/protocol/07-transactions-and-fees.md#723-eviction). */
export function underpriced(pending: PendingTxs, { feePerDaGas, feePerL2Gas }: GasFees): PoolEntry[] {
  return [...pending.all()].filter(
    ({ maxFeesPerGas: offered }) => offered.feePerDaGas < feePerDaGas || offered.feePerL2Gas < feePerL2Gas,
  );
}

/** Pending txs of the given payers that their balances do not cover. */
export function unpaid(pending: PendingTxs, payerKeys: Iterable<string>, feeJuice: (payer: Fr) => bigint): PoolEntry[] {
  return [...new Set(payerKeys)].flatMap((key) => {
    const payer = pending.payer(key);
    if (payer === undefined) return [];
    const balance = feeJuice(payer.feePayer);
    if (payer.feeLimits <= balance) return [];
    return uncovered(balance, [...payer.entries.values()]).map(({ payment }) => payment);
  });
}

/** The lowest-ranked pending txs beyond the limit; 0 means no limit. */
export function surplus(pending: PendingTxs, maxPending: number): PoolEntry[] {
  const excess = maxPending === 0 ? 0 : Math.max(0, pending.size - maxPending);
  return pending.order.ascending().slice(0, excess);
}
