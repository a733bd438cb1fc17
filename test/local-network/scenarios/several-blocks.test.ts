import { afterAll, beforeAll, expect, test } from "vitest";
import { call, type Network, startNetwork } from "../../world/local-network/network-process.ts";
import { messageTx } from "../support/local-txs.ts";

const LIMIT_MS = 180_000;
/** A slot may pass before the next transaction is sent. */
const ON_A_BUSY_MACHINE = { retry: 2, timeout: LIMIT_MS };

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

async function send(): Promise<string> {
  const { json, hash } = messageTx((await ask<{ rollupVersion: number }>("node_getNodeInfo")).rollupVersion);
  await ask("node_sendTx", json);
  return hash;
}

async function mined(hash: string): Promise<number> {
  const block = async () => (await ask<{ blockNumber?: number }>("node_getTxReceipt", hash)).blockNumber ?? 0;
  await expect.poll(block, { timeout: 60_000, interval: 10 }).toBeGreaterThan(0);
  return block();
}

test("a local network with several blocks a slot has the usual set-up", async () => {
  const blocks = await ask<Block[]>("node_getBlocks", 1, 10);
  expect(blocks.map(({ body }) => body.txEffects.length)).toEqual([1, 1, 1, 2]);
});

test(
  "consecutive transactions share a slot and a checkpoint, and none waits for the clock",
  ON_A_BUSY_MACHINE,
  async () => {
    const numbers: number[] = [];
    const took: number[] = [];
    for (let i = 0; i < 4; i++) {
      const began = performance.now();
      numbers.push(await mined(await send()));
      took.push(performance.now() - began);
    }
    // Each block has 6 s of the slot to itself: with the clock, none but the first could come earlier.
    expect(Math.min(...took.slice(1))).toBeLessThan(5_000);
    const [first, last] = [numbers[0], numbers[numbers.length - 1]];
    const checkpointed = async () => (await ask<Tips>("node_getL2Tips")).checkpointed.block.number;
    await expect.poll(checkpointed, { timeout: 60_000, interval: 50 }).toBeGreaterThanOrEqual(last);
    const blocks = await ask<Block[]>("node_getBlocks", first, last - first + 1);
    const ofCheckpoint = Map.groupBy(blocks, ({ checkpointNumber }) => checkpointNumber);
    expect(Math.max(...[...ofCheckpoint.values()].map(({ length }) => length))).toBeGreaterThan(1);
    for (const members of ofCheckpoint.values()) {
      expect(new Set(members.map(({ header }) => header.globalVariables.slotNumber)).size).toBe(1);
    }
  },
);

test(
  "epochs of slots with several blocks are settled",
  async () => {
    const { proposed } = await ask<Tips>("node_getL2Tips");
    const proven = async () => (await ask<Tips>("node_getL2Tips")).proven.block.number;
    await expect.poll(proven, { timeout: 60_000, interval: 100 }).toBeGreaterThanOrEqual(proposed.number);
  },
  LIMIT_MS,
);
