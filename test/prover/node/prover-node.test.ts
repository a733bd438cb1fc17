import fc from "fast-check";
import { afterEach, expect, test, vi } from "vitest";
import { epochState, epochsToProve, proofDeadline } from "../../../src/prover/node/epoch-choice.ts";
import { TxsMissingError } from "../../../src/prover/node/errors.ts";
import { proverNodeCounts } from "../../../src/prover/node/metrics.ts";
import { Metrics } from "../../../src/telemetry/metrics/metrics.ts";
import { prometheusText } from "../../../src/telemetry/metrics/prometheus-text.ts";
import { CONSTANTS, FakeChain, type Setting, setting } from "../../world/prover/fake-epochs.ts";

let current: Setting;
afterEach(() => current?.node.stop());

function started(...options: Parameters<typeof setting>): Setting {
  current = setting(...options);
  current.node.start();
  return current;
}

const comesToPass = (look: () => void) => vi.waitFor(look, { timeout: 30_000, interval: 2 });

test("checkpoints are prepared while their epoch is open, and the proof is asked for when it is complete", async () => {
  const { chain, node, proofs, submitted } = started();
  chain.add(4);
  node.check();
  await comesToPass(() => expect(proofs[0]?.taken).toEqual([[1, 0]]));
  chain.add(6);
  await comesToPass(() => expect(proofs[0].taken.length).toBe(2));
  expect(proofs[0].asked).toBe(false);
  expect(node.jobs()).toMatchObject([{ epochNumber: 1, status: "processing" }]);
  chain.passTo(8);
  await comesToPass(() => expect(proofs[0].asked).toBe(true));
  proofs[0].finish();
  await comesToPass(() => expect(submitted.length).toBe(1));
  expect(submitted[0]).toMatchObject({ epoch: 1, submission: { start: 1, end: 2 }, deadline: 120_000 });
});

test("the node says when no epoch has checkpoints to prepare any more, and not while one is open", async () => {
  let released = 0;
  const { chain, node, proofs } = started({ allPrepared: () => void released++ });
  for (const slot of [0, 3, 4]) chain.add(slot);
  node.check();
  await comesToPass(() => expect(proofs.map(({ asked }) => asked)).toEqual([true, false]));
  proofs[0].finish();
  await comesToPass(() => expect(node.jobs()).toMatchObject([{ epochNumber: 1, status: "processing" }]));
  expect(released).toBe(0);
  chain.passTo(8);
  await comesToPass(() => expect(proofs[1].asked).toBe(true));
  expect(released).toBe(1);
});

test("no more checkpoints of an epoch are in proof at one time than configured", async () => {
  const settles: (() => void)[] = [];
  const made = started({ parallelCheckpoints: 2 });
  made.settled = () => new Promise((resolve) => void settles.push(resolve));
  const { chain, node, proofs } = made;
  for (const slot of [0, 1, 2, 3]) chain.add(slot);
  const taken = () => proofs[0]?.taken.map(([number]) => number);
  node.check();
  await comesToPass(() => expect(taken()).toEqual([1, 2]));
  chain.changed();
  settles[1]();
  await comesToPass(() => expect(taken()).toEqual([1, 2, 3]));
  expect(proofs[0].asked).toBe(false);
  chain.cutTo(2);
  chain.add(2, 1);
  settles[0]();
  settles[2]();
  await comesToPass(() => expect(taken()).toEqual([1, 2, 3]));
  await comesToPass(() => expect(proofs[0].taken[2]).toEqual([3, 1]));
});

test("an epoch that waits for checkpoints in proof ends when the node stops", async () => {
  const made = started({ parallelCheckpoints: 1 });
  made.settled = () => new Promise(() => {});
  for (const slot of [0, 1]) made.chain.add(slot);
  made.node.check();
  await comesToPass(() => expect(made.proofs[0]?.taken.length).toBe(1));
  await made.node.stop();
  expect(made.node.jobs()).toEqual([]);
});

test("the proof of an epoch is submitted only once the one before is proven", async () => {
  const { chain, node, proofs, submitted } = started();
  for (const slot of [0, 3, 4, 7]) chain.add(slot);
  node.check();
  await comesToPass(() => expect(proofs.map(({ asked }) => asked)).toEqual([true, true]));
  proofs[1].finish();
  proofs[0].finish();
  await comesToPass(() => expect(submitted.map(({ epoch }) => epoch)).toEqual([0]));
  chain.proven = 2;
  chain.changed();
  await comesToPass(() => expect(submitted.map(({ epoch }) => epoch)).toEqual([0, 1]));
});

test("a failed epoch is tried again without a restart, and is counted and shown as unhealthy until then", async () => {
  const metrics = new Metrics((error) => {
    throw error;
  });
  const counts = proverNodeCounts(metrics);
  const options = { ended: counts.ended, checkpointPrepared: counts.checkpoint };
  const { chain, node, proofs, submitted } = started(options);
  expect(node.health.read()).toEqual({ state: "ok" });
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  proofs[0].fail(new Error("a job was rejected"));
  await comesToPass(() => {
    node.check();
    expect(proofs[1]?.asked).toBe(true);
  });
  expect(node.health.read()).toEqual({ state: "failed", reason: "epoch 0 is not proven: 1 failed attempts" });
  proofs[1].finish();
  await comesToPass(() => expect(submitted.length).toBe(1));
  await comesToPass(() => expect(node.health.read()).toEqual({ state: "ok" }));
  expect(prometheusText(metrics.collect()).split("\n")).toEqual(
    expect.arrayContaining([
      'svc_prover_node_epochs_total{outcome="failed"} 1',
      'svc_prover_node_epochs_total{outcome="completed"} 1',
      "aztec_prover_node_job_checkpoints 2",
      "aztec_prover_node_job_blocks 2",
      "aztec_prover_node_checkpoint_processing_duration_milliseconds_count 4",
    ]),
  );
});

test("what L1 replaces while the epoch is open leaves the proof, and the rest stays", async () => {
  const { chain, node, proofs } = started();
  chain.add(0);
  chain.add(1);
  node.check();
  await comesToPass(() => expect(proofs[0]?.taken.length).toBe(2));
  chain.cutTo(1);
  chain.add(2, 1);
  await comesToPass(() =>
    expect(proofs[0].taken).toEqual([
      [1, 0],
      [2, 1],
    ]),
  );
  expect(proofs.length).toBe(1);
});

test("an epoch that L1 reorganizes while its proof is awaited is proven anew", async () => {
  const { chain, node, proofs, submitted } = started();
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  chain.cutTo(1);
  chain.add(3, 1);
  await comesToPass(() => {
    node.check();
    expect(proofs[1]?.taken).toEqual([
      [1, 0],
      [2, 1],
    ]);
  });
  expect(proofs[0].aborted.aborted).toBe(true);
  await comesToPass(() => expect(proofs[1].asked).toBe(true));
  proofs[1].finish();
  await comesToPass(() => expect(submitted.length).toBe(1));
});

test("a proof that a reorganization takes from L1 is made and submitted again", async () => {
  const { chain, node, proofs, submitted } = started();
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  proofs[0].finish();
  await comesToPass(() => expect(node.jobs()).toEqual([]));
  node.check();
  expect(proofs.length).toBe(1);
  chain.passTo(5);
  await comesToPass(() => {
    node.check();
    expect(proofs[1]?.asked).toBe(true);
  });
  proofs[1].finish();
  await comesToPass(() => expect(submitted.length).toBe(2));
});

test("a proof that L1 does not mine is submitted again, one that somebody else submitted is not", async () => {
  const made = started();
  const { chain, node, proofs, submitted } = made;
  made.answers = [
    { kind: "not mined", reason: "L1 is away" },
    { kind: "already proven", reason: "by another prover" },
  ];
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  proofs[0].finish();
  await comesToPass(() => expect(node.jobs()).toEqual([]));
  expect(submitted.length).toBe(2);
  node.check();
  expect(proofs.length).toBe(1);
});

test("an epoch is given up when its deadline comes", async () => {
  const ended: string[] = [];
  const { chain, node, proofs } = started({ ended: ({ status }) => void ended.push(status) });
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  chain.passTo(8);
  node.check();
  await comesToPass(() => expect(ended).toEqual(["timed-out"]));
  node.check();
  expect(proofs.length).toBe(1);
});

test("an epoch with a checkpoint that cannot be proven is proven up to the one before", async () => {
  const unprovable = ({ number }: { number: number }) => (number === 2 ? "a tx has revert code 2" : undefined);
  const { chain, node, proofs, submitted } = started({ obstacle: unprovable });
  for (const slot of [0, 1, 3]) chain.add(slot);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  expect(proofs[0].taken).toEqual([[1, 0]]);
  proofs[0].finish();
  await comesToPass(() => expect(submitted[0]?.submission).toMatchObject({ start: 1, end: 1 }));
  chain.proven = 1;
  chain.passTo(5);
  await comesToPass(() => expect(node.jobs()).toEqual([]));
  node.check();
  expect(proofs.length).toBe(1);
});

test("an epoch whose first checkpoint cannot be proven fails with the reason", async () => {
  const reasons: unknown[] = [];
  const { chain, node } = started({
    obstacle: () => "a tx has revert code 2",
    ended: (_run, reason) => void reasons.push(reason),
  });
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(String(reasons[0])).toMatch("checkpoint 1 cannot be proven: a tx has revert code 2"));
});

test("a partial proof takes the checkpoints that an open epoch has", async () => {
  const { chain, node, proofs, submitted } = started();
  chain.add(4);
  chain.add(5);
  await node.startProof(1);
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  chain.add(6);
  proofs[0].finish();
  await comesToPass(() => expect(submitted[0]?.submission).toMatchObject({ start: 1, end: 2 }));
});

test("a proof by request is refused without blocks, without transactions, and beside too many others", async () => {
  const made = started({ maxRuns: 1 });
  const { chain, node, proofs } = made;
  await expect(node.startProof(1)).rejects.toThrow("No blocks found for epoch 1");
  chain.add(4);
  made.missing = new TxsMissingError(1, [Uint8Array.of(1, 2)]);
  await expect(node.startProof(1)).rejects.toThrow("Txs not found for epoch 1: 0x0102");
  made.missing = undefined;
  await node.startProof(1);
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  await expect(node.startProof(1)).rejects.toThrow("Maximum pending proving jobs 1 reached. Cannot create new job.");
});

test("missing transactions fail the attempt, and a later one finds them", async () => {
  const made = started();
  const { chain, node, proofs } = made;
  made.missing = new TxsMissingError(0, [Uint8Array.of(1)]);
  chain.add(0);
  node.check();
  await comesToPass(() => expect(node.jobs()).toEqual([]));
  made.missing = undefined;
  await comesToPass(() => {
    node.check();
    expect(proofs.at(-1)?.taken).toEqual([[1, 0]]);
  });
});

test("proofs that are not to be published end without a submission", async () => {
  const { chain, node, proofs, submitted } = started({ publisher: undefined });
  chain.add(0);
  chain.add(3);
  node.check();
  await comesToPass(() => expect(proofs[0]?.asked).toBe(true));
  proofs[0].finish();
  await comesToPass(() => expect(node.jobs()).toEqual([]));
  node.check();
  expect([proofs.length, submitted.length]).toEqual([1, 0]);
});

test("the epochs to prove are that of the first unproven checkpoint and at most the next", () => {
  const slots = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(slots, fc.nat(20), (given, proven) => {
      const sorted = given.toSorted((a, b) => a - b);
      const chain = new FakeChain();
      for (const slot of sorted) chain.add(slot);
      chain.proven = Math.min(proven, sorted.length);
      const unproven = sorted.slice(chain.proven).map((slot) => Math.floor(slot / 4));
      const expected = [...new Set(unproven)].filter((epoch) => epoch <= unproven[0] + 1);
      expect(epochsToProve(chain as never, CONSTANTS)).toEqual(expected);
    }),
  );
});

test("an epoch is complete once L1 is past it or its last slot has a checkpoint", () => {
  const chain = new FakeChain();
  chain.add(4);
  expect(epochState(chain as never, 1, CONSTANTS).complete).toBe(false);
  chain.add(7);
  expect(epochState(chain as never, 1, CONSTANTS).complete).toBe(true);
  chain.passTo(12);
  expect(epochState(chain as never, 2, CONSTANTS).complete).toBe(true);
  expect(proofDeadline(1, CONSTANTS)).toBe(120_000);
});
