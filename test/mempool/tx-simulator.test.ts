import { expect, test } from "vitest";
import { type BlockTask, type ProcessedBlock, StaleBaseError } from "../../src/execution/block-task.ts";
import { SimulationQueueFullError, type SimulatorOptions, TxSimulator } from "../../src/mempool/tx-simulator.ts";
import { headerBlockNumber, headerSlotNumber, headerTimestamp } from "../../src/protocol/block-header.ts";
import { writeU32 } from "../../src/protocol/bytes.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import { recordedTxs } from "../protocol/recorded-txs.ts";
import { fakeChain, GENESIS_BLOCK, IDENTITY, wordOf } from "../rpc/support/fakes.ts";

const [{ tx }] = recordedTxs();
const ofForm = (form: number): typeof tx => {
  const data = new Uint8Array(tx.data);
  data[TX_DATA_AT.forPublic] = form;
  return { ...tx, data };
};
const NO_GAS = { daGas: 0, l2Gas: 0 };
const NOTHING: Omit<ProcessedBlock, "trees"> = {
  processed: [],
  unprocessable: [],
  failed: [],
  skipped: [],
  totalGas: NO_GAS,
  blobFields: 0,
};
const executed = {
  index: 0,
  hash: wordOf(5),
  effect: {} as never,
  gasUsed: { totalGas: NO_GAS, publicGas: NO_GAS, teardownGas: NO_GAS, billedGas: NO_GAS },
  calls: [],
  debugLogs: [],
};
const done = (part: Partial<ProcessedBlock> = { processed: [executed] }) => ({ ...NOTHING, ...part }) as ProcessedBlock;

function simulator(
  process: (task: BlockTask, signal?: AbortSignal) => Promise<ProcessedBlock>,
  options: Partial<SimulatorOptions> = {},
) {
  const blocks = [4, 5].map((number) => ({
    block: { ...GENESIS_BLOCK, number, hash: wordOf(number) },
    body: new Uint8Array(),
  }));
  return new TxSimulator(
    {
      chain: fakeChain({ blocks }),
      identity: IDENTITY,
      fees: { currentMinFees: async () => ({ feePerDaGas: 0n, feePerL2Gas: 9n }) },
      digests: { hash: async () => wordOf(5) },
      execution: { process },
      l1Time: () => IDENTITY.constants.l1GenesisTime + 10 * 72 - 1,
    },
    { maxGasLimit: 10_000_000_000, maxDebugLogReads: 100, parallel: 2, limitMs: 1000, ...options },
  );
}

const OPTIONS = { skipFeeEnforcement: false, overrides: undefined, client: "192.0.2.1" };

test("runs on the latest block in the slot that the next L1 block is in", async () => {
  let task: BlockTask | undefined;
  const { header } = await simulator(async (given) => {
    task = given;
    return done();
  }).simulate(tx, { ...OPTIONS, skipFeeEnforcement: true });
  expect(task).toMatchObject({
    base: { number: 5, hash: wordOf(5) },
    options: { skipFeeEnforcement: true, recordCalls: true, collectDebugLogs: true, maxDebugLogReads: 100 },
  });
  expect([headerBlockNumber(header), headerSlotNumber(header)]).toEqual([6, 10]);
  expect(headerTimestamp(header)).toBe(BigInt(IDENTITY.constants.l1GenesisTime + 720));
});

test("fails in the tx's own words, and says when time is over", async () => {
  const failing = (part: Partial<ProcessedBlock>) =>
    simulator(async () => done(part), { limitMs: 7 }).simulate(ofForm(0), OPTIONS);
  const left = { index: 0, hash: wordOf(5) };
  await expect(failing({ unprocessable: [{ ...left, reason: "it is spent" }] })).rejects.toThrow(/^it is spent$/);
  await expect(failing({ stopped: { at: 0, why: "deadline" } })).rejects.toThrow("given up after 7 ms");
  const cause = new Error("memory");
  await expect(failing({ failed: [{ ...left, reason: "memory", cause }] })).rejects.toThrow(
    "The simulation failed: memory",
  );
});

test("a tx with public calls that can be in no block is told so as the network does", async () => {
  const reason = "Attempted to emit duplicate siloed nullifier 0x05.";
  const failing = simulator(async () => done({ unprocessable: [{ index: 0, hash: wordOf(5), reason }] }));
  await expect(failing.simulate(ofForm(1), OPTIONS)).rejects.toThrow(
    `C++ simulation failed: AVM simulation failed: ${reason}`,
  );
});

test("a gas limit that is too high is refused before anything runs", async () => {
  const data = new Uint8Array(tx.data);
  writeU32(data, TX_DATA_AT.gasLimits + 4, 60);
  writeU32(data, TX_DATA_AT.teardownGasLimits + 4, 41);
  let ran = 0;
  const bounded = simulator(
    async () => {
      ran++;
      return done();
    },
    { maxGasLimit: 100 },
  );
  await expect(bounded.simulate({ ...tx, data }, OPTIONS)).rejects.toThrow(
    "Transaction total gas limit 101 (60 + 41) exceeds maximum gas limit 100 for simulation",
  );
  expect(ran).toBe(0);
});

test("a chain that loses the block under a simulation is tried again, a few times", async () => {
  let tries = 0;
  const gone = new StaleBaseError({ number: 5, hash: wordOf(5) });
  const flaky = simulator(async () => {
    if (++tries < 3) throw gone;
    return done();
  });
  expect((await flaky.simulate(tx, OPTIONS)).gasUsed.totalGas).toEqual(NO_GAS);
  await expect(
    simulator(async () => {
      throw gone;
    }).simulate(tx, OPTIONS),
  ).rejects.toThrow("kept changing while");
});

test("so many run, so many wait, and the next is told that the node is busy", async () => {
  let running = 0;
  let most = 0;
  const finish: (() => void)[] = [];
  const busy = simulator(
    async () => {
      most = Math.max(most, ++running);
      await new Promise<void>((resolve) => finish.push(resolve));
      running--;
      return done();
    },
    { parallel: 2, mostWaitingPerClient: 3 },
  );
  const asked = Array.from({ length: 7 }, () => busy.simulate(tx, OPTIONS).catch((error: unknown) => error));
  await expect(asked[5]).resolves.toBeInstanceOf(SimulationQueueFullError);
  await expect(asked[6]).resolves.toBeInstanceOf(SimulationQueueFullError);
  for (let i = 0; i < 5; i++) {
    await expect.poll(() => finish.length).toBeGreaterThan(0);
    finish.shift()?.();
  }
  const outcomes = await Promise.all(asked.slice(0, 5));
  expect(outcomes.every((outcome) => !(outcome instanceof Error))).toBe(true);
  expect(most).toBe(2);
});

test("a simulation whose client left is taken out of the queue, or interrupted when it runs", async () => {
  const signals: (AbortSignal | undefined)[] = [];
  const finish: (() => void)[] = [];
  const busy = simulator(
    async (_, signal) => {
      signals.push(signal);
      await new Promise<void>((resolve) => {
        finish.push(resolve);
        signal?.addEventListener("abort", () => resolve());
      });
      return signal?.aborted ? done({ stopped: { at: 0, why: "interrupted" } }) : done();
    },
    { parallel: 1 },
  );
  const clients = [new AbortController(), new AbortController(), new AbortController()];
  const asked = clients.map(({ signal }) => busy.simulate(tx, OPTIONS, signal).catch((error: unknown) => error));
  await expect.poll(() => signals.length).toBe(1);
  clients[1].abort();
  await expect(asked[1]).resolves.toThrow("The client did not wait for the simulation");
  clients[0].abort();
  await expect(asked[0]).resolves.toThrow("The client did not wait for the simulation");
  await expect.poll(() => finish.length).toBe(2);
  finish[1]();
  await expect(asked[2]).resolves.toHaveProperty("gasUsed");
  expect(signals).toHaveLength(2);
});

test("a client with one simulation waits for one of a client with many", async () => {
  const order: string[] = [];
  const busy = simulator(
    async () => {
      await new Promise((resolve) => setImmediate(resolve));
      return done();
    },
    { parallel: 1 },
  );
  const asked = [..."aaaaab"].map((client) =>
    busy.simulate(tx, { ...OPTIONS, client }).then(() => void order.push(client)),
  );
  await Promise.all(asked);
  expect(order.join("")).toBe("aabaaa");
});
