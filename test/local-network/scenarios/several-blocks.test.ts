import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { messageTx } from "../support/local-txs.ts";

const LIMIT_MS = 180_000;

let network: Network;

beforeAll(async () => {
  network = await startNetwork([], { SEQ_BLOCK_DURATION_MS: "6000" });
}, LIMIT_MS);
afterAll(async () => {
  network?.svc.child.kill("SIGINT");
  await network?.svc.ended;
});

const ask = <T>(method: string, ...params: unknown[]) => call<T>(network.url, method, ...params);

interface Block {
  body: { txEffects: unknown[] };
  header: { globalVariables: { slotNumber: number } };
  checkpointNumber: number;
  indexWithinCheckpoint: number;
}
interface Tips {
  proposed: { number: number };
  checkpointed: { block: { number: number } };
  proven: { block: { number: number } };
}

test("a local network with several blocks a slot has the usual set-up", async () => {
  const blocks = await ask<Block[]>("node_getBlocks", 1, 10);
  expect(blocks.map(({ body }) => body.txEffects.length)).toEqual([1, 1, 1, 2]);
});

const checkpointed = async () => (await ask<Tips>("node_getL2Tips")).checkpointed.block.number;

/** Sends transactions at once, and waits until L1 has their blocks. Returns the blocks' numbers in order. */
async function publish(count: number): Promise<number[]> {
  const { rollupVersion } = await ask<{ rollupVersion: number }>("node_getNodeInfo");
  const txs = Array.from({ length: count }, () => messageTx(rollupVersion));
  await Promise.all(txs.map(({ json }) => ask("node_sendTx", json)));
  const minedIn = ({ hash }: { hash: string }) =>
    ask<{ blockNumber?: number }>("node_getTxReceipt", hash).then(({ blockNumber = 0 }) => blockNumber);
  const numbers = async () => (await Promise.all(txs.map(minedIn))).sort((a, b) => a - b);
  await expect.poll(async () => (await numbers())[0]).toBeGreaterThan(0);
  const mined = await numbers();
  await expect.poll(checkpointed).toBeGreaterThanOrEqual(Math.max(...mined));
  return mined;
}

test("transactions that wait together get blocks of one slot and one checkpoint", async () => {
  await call(network.adminUrl, "nodeAdmin_setConfig", { maxTxsPerBlock: 1 });
  // The setting holds from the next slot on.
  await publish(1);
  const [first, ...later] = await publish(4);
  expect(later).toEqual([first + 1, first + 2, first + 3]);
  const blocks = await ask<Block[]>("node_getBlocks", first, 4);
  const ofCheckpoint = Map.groupBy(blocks, ({ checkpointNumber }) => checkpointNumber);
  expect(Math.max(...[...ofCheckpoint.values()].map(({ length }) => length))).toBeGreaterThan(1);
  for (const members of ofCheckpoint.values()) {
    expect(new Set(members.map(({ header }) => header.globalVariables.slotNumber)).size).toBe(1);
  }
});

test(
  "epochs of slots with several blocks are settled",
  async () => {
    const { proposed } = await ask<Tips>("node_getL2Tips");
    const proven = async () => (await ask<Tips>("node_getL2Tips")).proven.block.number;
    await expect.poll(proven, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(proposed.number);
  },
  LIMIT_MS,
);
