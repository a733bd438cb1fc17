import { describe, expect, test } from "vitest";
import { type BlockTask, type ProcessedBlock, StaleBaseError } from "../../src/execution/block-task.ts";
import {
  SimulationError,
  SimulationQueueFullError,
  type SimulatorOptions,
  type SimulatorParts,
  TxSimulator,
} from "../../src/mempool/tx-simulator.ts";
import {
  BLOCK_HEADER_BYTES,
  HEADER_AT,
  headerBlockNumber,
  headerSlotNumber,
  headerTimestamp,
} from "../../src/protocol/block-header.ts";
import { bigUintBytes, toHex, writeU32, writeUint } from "../../src/protocol/bytes.ts";
import { TX_DATA_AT } from "../../src/protocol/tx/kernel-output.ts";
import { recordedTxs } from "../world/protocol/recorded-txs.ts";
import { fakeChain, GENESIS_BLOCK, IDENTITY, wordOf } from "../world/rpc/fakes.ts";

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
  chain?: SimulatorParts["chain"],
) {
  const blocks = [4, 5].map((number) => ({
    block: { ...GENESIS_BLOCK, number, hash: wordOf(number) },
    body: new Uint8Array(),
  }));
  return new TxSimulator(
    {
      chain: chain ?? fakeChain({ blocks }),
      identity: IDENTITY,
      fees: { currentMinFees: async () => ({ feePerDaGas: 0n, feePerL2Gas: 9n }) },
      digests: { hash: async () => wordOf(5) },
      execution: { process },
      l1Time: () => IDENTITY.constants.l1GenesisTime + 10 * 72 - 1,
    },
    { maxGasLimit: 10_000_000_000, maxDebugLogReads: 100, parallel: 2, limitMs: 1000, ...options },
  );
}

const OPTIONS = {
  skipFeeEnforcement: false,
  overrides: undefined,
  client: "192.0.2.1",
  api: "release",
} as const;

test("a simulation runs on the latest block, in the slot of the next L1 block", async () => {
  let task: BlockTask | undefined;
  const { header } = await simulator(async (given) => {
    task = given;
    return done();
  }).simulate(tx, { ...OPTIONS, skipFeeEnforcement: true });
  expect(task).toMatchObject({
    base: { number: 5, hash: wordOf(5) },
    options: { skippedFees: "public-payer", recordCalls: true, collectDebugLogs: true, maxDebugLogReads: 100 },
  });
  expect([headerBlockNumber(header), headerSlotNumber(header)]).toEqual([6, 10]);
  expect(headerTimestamp(header)).toBe(BigInt(IDENTITY.constants.l1GenesisTime + 720));
});

test("a failing simulation has the tx's own reason, or says that time is over", async () => {
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

test("a simulation of a tx with public calls that no block can include fails with the network's text", async () => {
  const reason = "Attempted to emit duplicate siloed nullifier 0x05.";
  const failing = simulator(async () => done({ unprocessable: [{ index: 0, hash: wordOf(5), reason }] }));
  await expect(failing.simulate(ofForm(1), OPTIONS)).rejects.toThrow(
    `C++ simulation failed: AVM simulation failed: ${reason}`,
  );
});

test("a failing simulation in the development namespace has the reason without the engine's name", async () => {
  const reason = "Attempted to emit duplicate siloed nullifier 0x05.";
  const failing = simulator(async () => done({ unprocessable: [{ index: 0, hash: wordOf(5), reason }] }));
  await expect(failing.simulate(ofForm(1), { ...OPTIONS, api: "development" })).rejects.toThrow(
    new SimulationError(reason),
  );
});

test("skipping fees applies to every tx in the development namespace, and to payers of public calls in the release's", async () => {
  const skipped: unknown[] = [];
  const asked = simulator(async ({ options }) => {
    skipped.push(options.skippedFees);
    return done();
  });
  for (const api of ["release", "development"] as const) {
    for (const skipFeeEnforcement of [false, true]) {
      await asked.simulate(tx, { ...OPTIONS, api, skipFeeEnforcement });
    }
  }
  expect(skipped).toEqual([undefined, "public-payer", undefined, "all"]);
});

describe("the block that a tx is simulated in", () => {
  const { constants } = IDENTITY;
  const latestHeader = (slot: number): Uint8Array => {
    const header = new Uint8Array(BLOCK_HEADER_BYTES);
    header.set(wordOf(1), HEADER_AT.chainId);
    header.set(wordOf(2), HEADER_AT.version);
    writeU32(header, HEADER_AT.blockNumber, 5);
    writeU32(header, HEADER_AT.slotNumber, slot);
    writeUint(header, HEADER_AT.timestamp + 2, 6, 77);
    header.set(wordOf(3).subarray(0, 20), HEADER_AT.coinbase);
    header.set(wordOf(4), HEADER_AT.feeRecipient);
    header.set(bigUintBytes(6n, 16), HEADER_AT.feePerL2Gas);
    return header;
  };
  /** Block 5 of checkpoint 3 in a slot. `onL1` is the number of checkpoints on L1, whose next block is in slot 10. */
  const headerAfter = async (api: "release" | "development", slot: number, onL1: number) => {
    const block = { ...GENESIS_BLOCK, number: 5, hash: wordOf(5), checkpointNumber: 3, header: latestHeader(slot) };
    const chain = { ...fakeChain({ blocks: [{ block, body: new Uint8Array() }] }), latestCheckpointNumber: () => onL1 };
    const { header } = await simulator(async () => done(), {}, chain).simulate(tx, { ...OPTIONS, api });
    return header;
  };
  const fresh = (header: Uint8Array) => ({
    slot: headerSlotNumber(header),
    timestamp: Number(headerTimestamp(header)) - constants.l1GenesisTime,
    isPaid: header.subarray(HEADER_AT.coinbase, HEADER_AT.feePerDaGas).some((byte) => byte !== 0),
  });

  test("a simulation inside an unfinished checkpoint has the globals of the block before it", async () => {
    const header = await headerAfter("development", 10, 2);
    const expected = latestHeader(10);
    writeU32(expected, HEADER_AT.blockNumber, 6);
    expect(toHex(header)).toBe(toHex(expected));
  });

  test("a simulation has the slot of the next L1 block if no checkpoint is being built", async () => {
    const next = { slot: 10, timestamp: 720, isPaid: false };
    expect(fresh(await headerAfter("development", 9, 3))).toEqual(next);
    // L1's slot is past that of a checkpoint that never reached L1.
    expect(fresh(await headerAfter("development", 9, 2))).toEqual(next);
    expect(headerBlockNumber(await headerAfter("development", 9, 3))).toBe(6);
  });

  test("a simulation after a checkpoint that is on L1 already has the slot after it", async () => {
    expect(fresh(await headerAfter("development", 10, 3))).toEqual({ slot: 11, timestamp: 792, isPaid: false });
  });

  test("a simulation in the release's namespace always has the slot of the next L1 block", async () => {
    for (const [slot, onL1] of [
      [10, 2],
      [10, 3],
      [9, 3],
    ]) {
      expect(fresh(await headerAfter("release", slot, onL1))).toEqual({ slot: 10, timestamp: 720, isPaid: false });
    }
  });
});

test("a tx with a gas limit that is too high is refused before anything runs", async () => {
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

test("a simulation whose base block is removed is retried a few times", async () => {
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

test("a limited number of simulations run, a limited number wait, and the next is refused as the node is busy", async () => {
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
    { parallel: 2, maxWaitingPerClient: 3 },
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

test("a simulation whose client left is removed from the queue, or interrupted when it runs", async () => {
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
  await expect(asked[1]).resolves.toMatchObject({ message: "The client did not wait for the simulation" });
  clients[0].abort();
  await expect(asked[0]).resolves.toMatchObject({ message: "The client did not wait for the simulation" });
  await expect.poll(() => finish.length).toBe(2);
  finish[1]();
  await expect(asked[2]).resolves.toHaveProperty("gasUsed");
  expect(signals).toHaveLength(2);
});

test("a client with one simulation waits for only one of a client with many", async () => {
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
  expect(order.join("")).toBe("abaaaa");
});
