import { describe, expect, test } from "vitest";
import { GROUPS } from "../../src/config/kinds/option.ts";
import { OPTION_KEYS, OPTIONS } from "../../src/config/options.ts";
import { configurationDocument, helpGroups } from "../../src/config/reference.ts";

const groups = new Map(helpGroups().map(({ heading, items }) => [heading.replace(" (not available yet)", ""), items]));

const shown = (group: string) => (groups.get(group) ?? []).map(({ term, note }) => `${term}: ${note}`);

test("the help text has every group once, in order", () => {
  expect([...groups.keys()]).toEqual([...GROUPS]);
  expect(helpGroups().map(({ heading }) => heading)).toEqual(
    expect.arrayContaining(["General", "RPC", "L1", "Telemetry", "Bot"]),
  );
});

test("the help text has every option once, by its first flag or its variable", () => {
  const terms = [...groups.values()].flat().map(({ term }) => term.split(" ")[0]);
  const wanted = OPTION_KEYS.map((key) => OPTIONS[key])
    .map(({ flags, env }) => flags[0] ?? env[0])
    .filter((name) => name !== undefined);
  expect(terms.sort()).toEqual(wanted.sort());
});

test("the help text of a group shows flags with values, defaults and variables, then lone variables", () => {
  expect(shown("L1").slice(0, 2)).toMatchInlineSnapshot(`
      [
        "--l1-rpc-urls <list>: L1 execution RPC URLs, tried in order (env ETHEREUM_HOSTS)",
        "--l1-chain-id <n>: chain id that L1 must report (default 31337; env L1_CHAIN_ID)",
      ]
    `);
  expect(shown("Mempool")).toMatchInlineSnapshot(`
      [
        "--txPublicSetupAllowListExtend <list>: functions that txs may call in the setup phase, in addition to the built-in ones (env TX_PUBLIC_SETUP_ALLOWLIST)",
        "--p2p.archivedTxLimit <n>: finalized txs to keep, without their proofs; 0 for none (default 0; env P2P_ARCHIVED_TX_LIMIT)",
        "--p2p.maxPendingTxCount <n>: maximum pending txs; beyond it those with the lowest fees are evicted; 0 for no limit (default 1000; env P2P_MAX_PENDING_TX_COUNT)",
        "--p2p.disableTransactions [true|false]: reject all txs from RPC and P2P (default false; env TRANSACTIONS_DISABLED)",
        "--p2p.txPoolDeleteTxsAfterReorg [true|false]: delete the txs of pruned blocks instead of returning them to the pool (default false; env P2P_TX_POOL_DELETE_TXS_AFTER_REORG)",
        "--p2p.minTxPoolAgeMs <n>: minimum age of a tx before a block may include it, in ms (default 2000; env P2P_MIN_TX_POOL_AGE_MS)",
        "--p2p.priceBumpPercentage <n>: percentage by which the fee of a tx from RPC must exceed that of the tx it replaces (default 10; env P2P_RPC_PRICE_BUMP_PERCENTAGE)",
      ]
    `);
  expect(shown("L1").slice(-1)).toMatchInlineSnapshot(`
      [
        "L1_READER_VIEM_POLLING_INTERVAL_MS: polling interval for L1 events, in ms (no effect; default 1000)",
      ]
    `);
  expect(shown("Deployment").slice(0, 2)).toMatchInlineSnapshot(`
      [
        "--aztecSlotDuration <n>: seconds per L2 slot (default 72; env AZTEC_SLOT_DURATION)",
        "--aztecEpochDuration <n>: slots per epoch (default 32; env AZTEC_EPOCH_DURATION)",
      ]
    `);
  expect(shown("High-availability signing").slice(0, 4)).toMatchInlineSnapshot(`
      [
        "--sequencer.haSigningEnabled [true|false]: coordinate signatures through the database of the high-availability group (default false; env VALIDATOR_HA_SIGNING_ENABLED)",
        "--sequencer.nodeId <text>: unique id of this node within the high-availability group (env VALIDATOR_HA_NODE_ID)",
        "--sequencer.pollingIntervalMs <n>: polling interval while another node signs, in ms (default 100; env VALIDATOR_HA_POLLING_INTERVAL_MS)",
        "--sequencer.signingTimeoutMs <n>: timeout for another node's signature, in ms (default 3000; env VALIDATOR_HA_SIGNING_TIMEOUT_MS)",
      ]
    `);
});

describe("docs/configuration.md", () => {
  const lines = configurationDocument().split("\n");

  test("docs/configuration.md has a row for every option, with all its names", () => {
    const rows = lines.filter((line) => line.startsWith("| ") && !line.startsWith("| Flag"));
    expect(rows).toHaveLength(OPTION_KEYS.length);
    for (const name of ["--p2p.validateMaxL2BlockGas", "AZTEC_ADMIN_API_KEY_HASH", "WS_NUM_HISTORIC_BLOCKS"]) {
      expect(rows.filter((row) => row.includes(`\`${name}\``))).toHaveLength(1);
    }
  });

  test("docs/configuration.md says which part uses an option and marks deprecated names", () => {
    const row = (name: string) => lines.find((line) => line.includes(`\`${name}\``));
    expect(row("--port")).toMatch(/\| rpc \|$/);
    expect(row("--bot.botMode")).toMatch(/\| bot \|$/);
    expect(row("--bot.senderSalt")).toMatch(/\| bot \(no effect\) \|$/);
    expect(row("--txe")).toMatch(/\| test server \(not available yet\) \|$/);
    expect(row("L1_FIXED_PRIORITY_FEE_PER_GAS")).toContain("`L1_FIXED_PRIORITY_FEE_PER_GAS` (deprecated)");
  });
});
