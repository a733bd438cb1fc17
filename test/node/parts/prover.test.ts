import { afterEach, beforeEach, expect, onTestFinished, test, vi } from "vitest";
import { configure } from "../../../src/config/configuration.ts";
import { partValues } from "../../../src/config/part-values.ts";
import { loadCore } from "../../../src/core/load-core.ts";
import { createProver, type ProverOptions, type ProverPart } from "../../../src/node/parts/prover.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import { CheckpointPreparation, type MinedTxs } from "../../../src/prover/node/checkpoint-preparation.ts";
import { EpochPublisher } from "../../../src/prover/node/epoch-publisher.ts";
import { PostedCheckpoints } from "../../../src/prover/node/posted-checkpoints.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { CONSTANTS, FakeChain } from "../../world/prover/fake-epochs.ts";

vi.mock("node:timers/promises", () => import("../../support/fakeable-sleep.ts"));

/** Options of a prover node, given as an operator does, in the part of a node that has them act. */
const ZERO = new Uint8Array(32);
const PROOF = {
  ...{ epoch: 0, start: 1, end: 2, previousArchive: ZERO, endArchive: ZERO, outHash: ZERO, blobInputs: ZERO },
  ...{ proverId: new Uint8Array(20), fees: [], proof: ZERO, publicInputs: [] },
};

let chain: FakeChain;
beforeEach(() => {
  chain = new FakeChain();
});
afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

/** Never finds a transaction, and says so when its time is over. */
const noTxs: MinedTxs = {
  get: ({ hashes }, signal) =>
    new Promise((resolve) => {
      signal.addEventListener("abort", () => resolve({ txs: [], missing: [...hashes] }), { once: true });
    }),
};

async function proverWith(environment: Record<string, string>, flags: [string, string][] = []): Promise<ProverPart> {
  const { values } = configure({
    flags: new Map([["--prover-node", "true"], ...flags]),
    environment: {
      ETHEREUM_HOSTS: "http://127.0.0.1:9",
      PROVER_REAL_PROOFS: "false",
      PROVER_AGENT_COUNT: "0",
      PROVER_BROKER_HOST: "http://127.0.0.1:9",
      PROVER_PUBLISHER_PRIVATE_KEY: `0x${"17".repeat(32)}`,
      ...environment,
    },
  });
  const txHash = new Uint8Array(32).fill(7);
  const context = {
    core: loadCore(),
    store: { path: "", commits: undefined },
    chain: Object.assign(chain, {
      generation: V4,
      block: (number: number) => ({ number, header: ZERO, archiveRoot: ZERO }),
      txEffects: () => [{ txHash, words: ZERO }],
      messages: { range: () => [] },
    }),
    reader: {
      identity: { constants: CONSTANTS, l1ChainId: 31337, rollupVersion: 1, addresses: {} },
    },
    synchronizer: {
      initialSyncComplete: true,
      on: (_: string, listener: () => void) => chain.onChange(listener),
    },
    publicData: [],
    clock: { now: () => chain.seconds * 1000 },
    threads: { circuits: 1, reexecution: 1 },
    metrics: new Metrics((error) => {
      throw error;
    }),
    sampleAccounts: () => () => {},
    loggerFor: () => silentLogger,
  };
  const options = {
    ...{
      values: partValues(values),
      directory: { path: "", temporary: true },
      mempool: { digests: { release() {} } },
      minedTxs: noTxs,
    },
    kzg: { open: () => Promise.reject(new Error("is not asked")), load() {}, release() {} },
  };
  const part = await createProver(context as never, options as unknown as ProverOptions);
  onTestFinished(() => part.stop());
  return part;
}

const PREPARED = { txs: 0, settled: Promise.resolve() };

/** Two epochs, both of which are complete. */
function twoEpochs(): void {
  for (const slot of [0, 3, 4, 7]) chain.add(slot);
}

const epochsOf = ({ node }: ProverPart): number[] => node.jobs().map(({ epochNumber }) => epochNumber);

test("PROVER_NODE_POLLING_INTERVAL_MS: looks for epochs at this interval", async () => {
  vi.useFakeTimers({ toFake: ["setInterval"] });
  const part = await proverWith({ PROVER_NODE_POLLING_INTERVAL_MS: "7000" });
  part.start();
  twoEpochs();
  vi.advanceTimersByTime(6999);
  expect(epochsOf(part)).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(epochsOf(part)).toEqual([0, 1]);
});

test("PROVER_NODE_MAX_PENDING_JOBS: proves no more epochs at once", async () => {
  const part = await proverWith({ PROVER_NODE_MAX_PENDING_JOBS: "1" });
  twoEpochs();
  part.node.check();
  part.node.check();
  expect(epochsOf(part)).toEqual([0]);
});

test("PROVER_NODE_TX_GATHERING_TIMEOUT_MS: gives up the search for transactions after it", async () => {
  // A second search ends only with the prover node.
  const [short, long] = await Promise.all(
    ["1", "2000000000"].map((timeout) => proverWith({ PROVER_NODE_TX_GATHERING_TIMEOUT_MS: timeout })),
  );
  twoEpochs();
  let ended = false;
  const longer = long.answers.startProof(0).finally(() => {
    ended = true;
  });
  longer.catch(() => {});
  await expect(short.answers.startProof(0)).rejects.toThrow(/^Txs not found for epoch 0: 0x0707/);
  expect(ended).toBe(false);
});

test.each([
  ["0", [1, 2]],
  ["1", [1]],
])("PROVER_NODE_MAX_PARALLEL_BLOCKS_PER_EPOCH=%s: has checkpoints %j in proof at one time", async (most, expected) => {
  const prepare = vi.spyOn(CheckpointPreparation.prototype, "prepare");
  prepare.mockResolvedValue({ txs: 0, settled: new Promise(() => {}) });
  const prove = vi.spyOn(EpochProver.prototype, "prove").mockReturnValue(new Promise(() => {}));
  const part = await proverWith({
    PROVER_NODE_MAX_PARALLEL_BLOCKS_PER_EPOCH: most,
    PROVER_NODE_MAX_PENDING_JOBS: "1",
  });
  twoEpochs();
  part.node.check();
  const prepared = () => prepare.mock.calls.map(([, , { number }]) => number);
  await expect.poll(prepared).toEqual(expected);
  await expect.poll(() => prove.mock.calls.length).toBe(expected.length - 1);
  expect(prepared()).toEqual(expected);
});

test("--proverNode.proverNodeEpochProvingDelayMs: waits before it has a complete epoch proven", async () => {
  vi.spyOn(CheckpointPreparation.prototype, "prepare").mockResolvedValue(PREPARED);
  const prove = vi.spyOn(EpochProver.prototype, "prove").mockResolvedValue(PROOF as never);
  vi.spyOn(PostedCheckpoints.prototype, "read").mockResolvedValue({} as never);
  vi.spyOn(EpochPublisher.prototype, "publish").mockResolvedValue({ kind: "already proven" } as never);
  vi.useFakeTimers({ toFake: ["setTimeout"] });
  const part = await proverWith({ PROVER_NODE_MAX_PENDING_JOBS: "1" }, [
    ["--proverNode.proverNodeEpochProvingDelayMs", "60000"],
  ]);
  twoEpochs();
  part.node.check();
  await vi.advanceTimersByTimeAsync(59_999);
  expect(prove).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(prove).toHaveBeenCalledTimes(1);
});

test.each([
  ["true", 0],
  ["false", 1],
])("PROVER_NODE_DISABLE_PROOF_PUBLISH=%s: submits %i proofs of a proven epoch", async (disabled, submissions) => {
  vi.spyOn(CheckpointPreparation.prototype, "prepare").mockResolvedValue(PREPARED);
  const prove = vi.spyOn(EpochProver.prototype, "prove").mockResolvedValue(PROOF as never);
  vi.spyOn(PostedCheckpoints.prototype, "read").mockResolvedValue({} as never);
  const publish = vi.spyOn(EpochPublisher.prototype, "publish");
  publish.mockResolvedValue({ kind: "submitted", txHash: "0x", l1BlockNumber: 1 });
  const part = await proverWith({
    PROVER_NODE_DISABLE_PROOF_PUBLISH: disabled,
    PROVER_NODE_MAX_PENDING_JOBS: "1",
  });
  twoEpochs();
  part.node.check();
  await expect.poll(() => epochsOf(part)).toEqual([]);
  expect([prove.mock.calls.length, publish.mock.calls.length]).toEqual([1, submissions]);
});
