import { readFileSync } from "node:fs";
import { brotliDecompressSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { loadCore } from "../../../src/core/load-core.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { submissionCalldata } from "../../../src/l1/prove/epoch-submission.ts";
import { toHex } from "../../../src/protocol/bytes.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { inThisThread, SimulatedProver } from "../../../src/prover/agent/simulated-prover.ts";
import { EpochProver } from "../../../src/prover/epoch/epoch-prover.ts";
import type { PublicPart } from "../../../src/prover/epoch/epoch-types.ts";
import { EpochProvingError } from "../../../src/prover/epoch/errors.ts";
import type { JobRequest, JobRunner } from "../../../src/prover/epoch/job-runner.ts";
import { jobIdOf } from "../../../src/prover/jobs/job-id.ts";
import { JOB_TYPES, type JobTypeName } from "../../../src/prover/jobs/job-type.ts";
import { InProcessRunner } from "../../world/prover/in-process-runner.ts";
import { type RecordedSubmission, recordedSubmissions } from "../../world/prover/three-epochs.ts";
import {
  addCheckpoints,
  checkpointsOf,
  type FollowedEpochs,
  followedEpochs,
  type GivenCheckpoint,
  publicPartsOf,
  termsOf,
} from "../support/followed-epochs.ts";

const core = loadCore();
const kzg = new Kzg();
let followed: FollowedEpochs;
/** Epoch 25: four checkpoints of one block each, with 0, 1, 2 and 0 transactions. */
let checkpoints: GivenCheckpoint[];

/** Sorted ids of the jobs of an epoch, as the reference implementation made them. */
function recordedIds(epoch: number): string[] {
  const file = new URL("../../fixtures/prover/epoch-jobs.json.br", import.meta.url);
  const ids = JSON.parse(brotliDecompressSync(readFileSync(file)).toString()) as Record<string, string[]>;
  return ids[epoch].sort();
}

/** Simulates jobs and notes them. */
class NotingRunner implements JobRunner {
  readonly ids: string[] = [];
  readonly #runner = new InProcessRunner(
    new SimulatedProver(inThisThread({ core, generation: V4 }), { kind: "fixed", ms: 0 }),
  );

  run(job: JobRequest, signal: AbortSignal): ReturnType<JobRunner["run"]> {
    this.ids.push(jobIdOf(job.epoch, job.type, job.input()));
    return this.#runner.run(job, signal);
  }
}

/** Does something else than simulating jobs of one type. */
function unlessType(name: JobTypeName, other: JobRunner["run"]): NotingRunner {
  const runner = new NotingRunner();
  const run = runner.run.bind(runner);
  runner.run = (job, signal) => (job.type === JOB_TYPES[name] ? other(job, signal) : run(job, signal));
  return runner;
}

const proverOf = (epoch: number, runner: JobRunner = new NotingRunner()) =>
  new EpochProver({ core, generation: V4, runner, kzg }, termsOf(followed, epoch));

const given = (epoch: number) => {
  const parts = publicPartsOf(followed, epoch);
  return checkpointsOf(followed, epoch, kzg, async (hash) => parts.get(hash) as PublicPart);
};

beforeAll(async () => {
  followed = await followedEpochs(core);
  checkpoints = await given(25);
});
afterAll(async () => {
  await followed?.close();
  await kzg.close();
});

describe("an epoch of the recorded network", () => {
  test.each([23, 25])("%i takes the recorded jobs and gives the recorded calldata", async (epoch) => {
    const runner = new NotingRunner();
    const prover = proverOf(epoch, runner);
    await addCheckpoints(prover, epoch === 25 ? checkpoints : await given(epoch));
    const proof = await prover.prove();
    expect(runner.ids.sort()).toEqual(recordedIds(epoch));
    const { submission, calldata, publicInputs } = recordedSubmissions().find(
      (each) => each.epoch === epoch,
    ) as RecordedSubmission;
    expect(toHex(submissionCalldata(V4, { ...proof, attestations: submission.attestations }))).toBe(calldata);
    expect(proof.publicInputs.map(toHex)).toEqual(publicInputs.map(toHex));
  });

  test("is proven in parts while it is open: jobs below the checkpoint roots are run once", async () => {
    const runner = new NotingRunner();
    const prover = proverOf(25, runner);
    await addCheckpoints(prover, checkpoints.slice(0, 1));
    const part = await prover.prove();
    await addCheckpoints(prover, checkpoints.slice(1));
    const again = await prover.prove(part.end);
    const whole = await prover.prove();
    expect([part.start, part.end, whole.start, whole.end]).toEqual([61, 61, 61, 64]);
    expect(again).toEqual(part);
    expect(whole.endArchive).not.toEqual(part.endArchive);
    const names = runner.ids.map((id) => id.split(":")[1]);
    expect(names.filter((name) => name.startsWith("BLOCK_ROOT"))).toHaveLength(4);
    expect(names).toContain("CHECKPOINT_PADDING_ROLLUP");
  });

  test("is proven as L1 has it at last, after checkpoints were dropped", async () => {
    const prover = proverOf(25);
    await addCheckpoints(prover, checkpoints.slice(0, 3));
    prover.dropFrom(checkpoints[1].start().number);
    await addCheckpoints(prover, checkpoints.slice(1));
    const straight = proverOf(25);
    await addCheckpoints(straight, checkpoints);
    expect(await prover.prove()).toEqual(await straight.prove());
  });
});

describe("an epoch that cannot be proven", () => {
  const lost = "the broker rejected it";

  test("fails once a job does, and its other jobs are cancelled", async () => {
    const signals: AbortSignal[] = [];
    const runner = unlessType("BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP", async (_job, signal) => {
      signals.push(signal);
      throw new Error(lost);
    });
    const prover = proverOf(25, runner);
    const adding = addCheckpoints(prover, checkpoints).then(() => prover.prove());
    await expect(adding).rejects.toThrow(
      new EpochProvingError(25, `a BLOCK_ROOT_SINGLE_TX_FIRST_ROLLUP job failed: ${lost}`).message,
    );
    expect(prover.signal.aborted).toBe(true);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
  });

  test("refuses the output of another job", async () => {
    const known = new NotingRunner();
    let first: Awaited<ReturnType<JobRunner["run"]>> | undefined;
    const runner = unlessType("BLOCK_ROOT_EMPTY_TX_FIRST_ROLLUP", async (job, signal) => {
      first ??= await known.run(job, signal);
      return first;
    });
    const prover = proverOf(25, runner);
    const work = addCheckpoints(prover, checkpoints).then(() => prover.prove());
    await expect(work).rejects.toThrow("blockHeadersHash: must be the block's hash");
  });

  test("refuses a block that is not what its transactions make", async () => {
    const [, { start, blocks }] = checkpoints;
    const [{ txs, ...block }] = blocks;
    const [tx] = txs;
    const effect = { ...tx.effect, nullifiers: tx.effect.nullifiers.slice(0, -32) };
    const prover = proverOf(25);
    await addCheckpoints(prover, checkpoints.slice(0, 1));
    const checkpoint = prover.startCheckpoint(start());
    await expect(checkpoint.addBlock({ ...block, txs: [{ ...tx, effect }] })).rejects.toThrow(
      /^epoch 25 cannot be proven: block \d+\.state: must equal the trees after its transactions$/,
    );
    await expect(checkpoint.addBlock(blocks[0])).rejects.toThrow(EpochProvingError);
    prover.dropFrom(checkpoint.number);
    await addCheckpoints(prover, checkpoints.slice(1));
    expect((await prover.prove()).end).toBe(64);
  });

  test("refuses a fork of another block, commitments of other blobs, and a gap", async () => {
    const [{ start, blocks, end }, other] = checkpoints;
    const wrong = { ...start(), fork: other.start().fork };
    expect(() => proverOf(25).startCheckpoint(wrong)).toThrow("fork: must equal the state of previousHeader");
    const prover = proverOf(25);
    const checkpoint = prover.startCheckpoint(start());
    for (const block of blocks) await checkpoint.addBlock(block);
    expect(() => prover.startCheckpoint(checkpoints[2].start())).toThrow("does not follow");
    expect(() => checkpoint.end({ ...end, commitments: other.end.commitments })).toThrow("blobsHash");
    await expect(prover.prove()).rejects.toThrow(EpochProvingError);
  });

  test("fails with a transaction that could not be executed again", async () => {
    const prover = proverOf(25);
    const failing = await checkpointsOf(followed, 25, kzg, () => Promise.reject(new Error("no state")));
    const work = addCheckpoints(prover, failing).then(() => prover.prove());
    await expect(work).rejects.toThrow("epoch 25 cannot be proven: no state");
  });

  test("ends when it is aborted", async () => {
    const runner = unlessType("ROOT_ROLLUP", (_job, signal) => {
      return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    });
    const prover = proverOf(25, runner);
    await addCheckpoints(prover, checkpoints);
    const work = prover.prove();
    prover.abort(new Error("the deadline has passed"));
    await expect(work).rejects.toThrow("epoch 25 cannot be proven: the deadline has passed");
  });
});
