import { afterAll, beforeAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { type BlockTask, packTask, StaleBaseError } from "../../src/execution/block-task.ts";
import { ExecutionPool } from "../../src/execution/execution-pool.ts";
import { SIMULATION, simulatedTx } from "../../src/execution/simulated-tx.ts";
import { headerSnapshot } from "../../src/protocol/block-header.ts";
import { toHex } from "../../src/protocol/bytes.ts";
import { type RecordedBlock, RecordedChain } from "../world/execution/recorded-chain.ts";
import { LOOPS, txOfOwnClass } from "../world/mempool/own-class.ts";

/** The threads read the store that this thread has open. */
let chain: RecordedChain;
let pool: ExecutionPool;
let blocks: RecordedBlock[];

beforeAll(async () => {
  chain = await RecordedChain.open(loadCore());
  pool = new ExecutionPool(chain.workerSetup, { size: 2 });
  blocks = chain.blocks().slice(-12);
});
afterAll(async () => {
  await pool?.close();
  await chain?.remove();
});

const task = (block: RecordedBlock, options: BlockTask["options"] = { mode: "reexecute" }): BlockTask => ({
  base: { number: block.number - 1, hash: chain.services.chain.block(block.number - 1)!.hash },
  header: block.header,
  l1ToL2Messages: chain.messages(block.number),
  txs: block.txs,
  options,
});

test("an execution pool gives the recorded effects and roots of blocks that run side by side", async () => {
  const results = await Promise.all(blocks.map((block) => pool.process({ ...task(block), endTrees: true })));
  for (const [i, { processed, trees, unprocessable, failed }] of results.entries()) {
    expect([unprocessable, failed]).toEqual([[], []]);
    expect(processed.map(({ effect }) => toHex(effect.words))).toEqual(
      blocks[i].effects.map(({ words }) => toHex(words)),
    );
    for (const tree of [0, 1, 2, 3] as const) {
      expect(toHex(trees![tree].root)).toBe(toHex(headerSnapshot(blocks[i].header, tree).root));
    }
  }
});

test("an execution pool answers a simulation with return values, revert reasons and logs", async () => {
  const reverted = chain.blocks().find(({ effects }) => effects.length === 1 && effects[0].revertCode !== 0)!;
  const { processed, trees } = await pool.process(task(reverted, { mode: "build", ...SIMULATION }));
  expect(trees).toBeUndefined();
  const { revert, returned, effect } = simulatedTx(processed[0]);
  expect(effect.revertCode).toBe(1);
  expect(revert?.originalMessage).toMatch(/^Assertion failed: /);
  expect(revert?.functionErrorStack.at(0)?.functionSelector).toHaveLength(4);
  expect(revert?.noirErrorStack.at(-1)).toMatch(/^0\.\d+$/);
  expect(returned).toHaveLength(1);
});

test("an execution pool leaves a task's bytes as they are and sends no proofs to its threads", async () => {
  const [block] = blocks.filter(({ txs }) => txs.length > 0);
  const given = task(block);
  const before = given.txs.map(({ tx }) => [toHex(tx.data), toHex(tx.chonkProof)]);
  expect(before[0][1].length).toBeGreaterThan(1_000);
  await pool.process(given);
  expect(given.txs.map(({ tx }) => [toHex(tx.data), toHex(tx.chonkProof)])).toEqual(before);
  expect(packTask(given).txs.map(({ tx }) => tx.chonkProof.length)).toEqual(given.txs.map(() => 0));
});

test("an execution pool reports a tx that cannot be included", async () => {
  const [block] = blocks;
  const twice = await pool.process({ ...task(block), txs: [block.txs[0], block.txs[0]] });
  expect(twice.unprocessable).toMatchObject([{ index: 1, reason: expect.stringMatching(/duplicate/) }]);
});

test("an execution pool stops an endless run at its time limit, and when it is interrupted", async () => {
  const { chain: stored } = chain.services;
  const tip = stored.block(stored.latestBlockNumber())!;
  const endless = {
    ...task(blocks[0], { mode: "build", skippedFees: "all" }),
    base: { number: tip.number, hash: tip.hash },
    l1ToL2Messages: undefined,
    txs: [{ hash: blocks[0].txs[0].hash, tx: txOfOwnClass(LOOPS) }],
  };
  expect((await pool.process({ ...endless, limitMs: 20 })).stopped).toEqual({ at: 0, why: "deadline" });
  expect((await pool.process(endless, AbortSignal.abort())).stopped).toEqual({ at: 0, why: "interrupted" });
  const start = performance.now();
  const interrupted = await pool.process(endless, AbortSignal.timeout(200));
  expect(interrupted.stopped).toEqual({ at: 0, why: "interrupted" });
  // Without an interruption it would use up its gas, which takes some seconds.
  expect(performance.now() - start).toBeGreaterThan(150);
  expect((await pool.process(task(blocks[0]))).processed).toHaveLength(blocks[0].txs.length);
});

test("an execution pool refuses to build on a block that is not stored", async () => {
  const given = task(blocks[0]);
  const replaced = { ...given, base: { ...given.base, hash: new Uint8Array(32) } };
  await expect(pool.process(replaced)).rejects.toThrow(new StaleBaseError(replaced.base));
  const beyond = { ...given, base: { ...given.base, number: 1000 } };
  await expect(pool.process(beyond)).rejects.toThrow(StaleBaseError);
});

test("an execution thread sees what was committed since its last task", async () => {
  const { chain: stored, world, store } = chain.services;
  const single = new ExecutionPool(chain.workerSetup, { size: 1 });
  try {
    const tip = stored.block(stored.latestBlockNumber())!;
    const on = ({ number, hash }: typeof tip): BlockTask => ({ ...task(blocks[0]), base: { number, hash }, txs: [] });
    expect((await single.process(on(tip))).processed).toEqual([]);
    const checkpoint = stored.latestCheckpointNumber() - 1;
    const before = stored.block(stored.lastBlockOfCheckpoint(checkpoint))!;
    store.transaction(() => {
      world.unwindTo(before.number);
      stored.removeCheckpointsAfter(checkpoint);
    });
    await expect(single.process(on(tip))).rejects.toThrow(StaleBaseError);
    expect((await single.process(on(before))).processed).toEqual([]);
  } finally {
    await single.close();
  }
});
