import type { Core } from "../../core/core.ts";
import { L1_TO_L2_MESSAGES_PER_CHECKPOINT, MAX_CHECKPOINTS_PER_EPOCH } from "../../protocol/constants.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { requireEqual } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import { BlobAccumulator, type CheckpointRollup, type EpochRollup } from "../circuits/layouts/rollups.ts";
import { finalChallenges, joinedBlob } from "./blob-challenges.ts";
import { both } from "./block-jobs.ts";
import { proveCheckpoints } from "./checkpoint-jobs.ts";
import { CheckpointProver } from "./checkpoint-prover.ts";
import type { EndedCheckpoint } from "./ended-checkpoint.ts";
import type { EpochContext } from "./epoch-context.ts";
import { EpochJobs } from "./epoch-jobs.ts";
import { epochProof, type JoinedOpening } from "./epoch-proof.ts";
import type { CheckpointStart, EpochProof, EpochTerms } from "./epoch-types.ts";
import { EpochProvingError, provingError } from "./errors.ts";
import type { JobRunner } from "./job-runner.ts";
import { mergeHalves } from "./merge-tree.ts";
import { ParityJobs } from "./parity-jobs.ts";

interface EpochServices {
  readonly core: Core;
  /** Of the rollup. */
  readonly generation: Generation;
  readonly runner: JobRunner;
  readonly kzg: BlobOpener;
}

export interface BlobOpener {
  /** Value of a blob's polynomial at `z` (32 bytes) and its KZG proof. */
  open(blob: Uint8Array, z: Uint8Array): Promise<JoinedOpening>;
}

/**
 * Proves an epoch (docs/protocol/13-proving.md): checkpoints are given as they begin, their blocks as they become
 * known, and each job is run as soon as its input is known. Only the roots of checkpoints, and what is above them, wait
 * for the last checkpoint, because it changes the point at which the blobs of all are opened.
 */
export class EpochProver {
  readonly #services: EpochServices;
  readonly #context: EpochContext;
  readonly #parity: ParityJobs;
  readonly #checkpoints: CheckpointProver[] = [];

  constructor(services: EpochServices, terms: EpochTerms) {
    const { core, generation, runner } = services;
    const jobs = new EpochJobs(generation, terms.epoch, runner);
    this.#services = services;
    this.#context = { core, generation, terms, jobs };
    this.#parity = new ParityJobs(this.#context);
  }

  /** Aborted once a job or a public part has failed or `abort` was called; the reason is the error. */
  get signal(): AbortSignal {
    return this.#context.jobs.signal;
  }

  /** Cancels all jobs; `prove` then rejects. */
  abort(cause: Error): void {
    this.#context.jobs.fail(cause);
  }

  /**
   * Begins the next checkpoint. Throws an EpochProvingError if its number does not follow, or for a fork that is not
   * the state before it.
   */
  startCheckpoint(start: CheckpointStart): CheckpointProver {
    const { epoch } = this.#context.terms;
    this.signal.throwIfAborted();
    const last = this.#checkpoints.at(-1);
    if (last !== undefined && start.number !== last.number + 1) {
      throw new EpochProvingError(epoch, `checkpoint ${start.number} does not follow checkpoint ${last.number}`);
    }
    if (this.#checkpoints.length === MAX_CHECKPOINTS_PER_EPOCH) {
      throw new EpochProvingError(epoch, `it has more than ${MAX_CHECKPOINTS_PER_EPOCH} checkpoints`);
    }
    if (start.messages.length > L1_TO_L2_MESSAGES_PER_CHECKPOINT) {
      throw new EpochProvingError(epoch, `checkpoint ${start.number} has ${start.messages.length} messages`);
    }
    try {
      const parity = this.#parity.prove(start.messages);
      const checkpoint = new CheckpointProver(this.#context, parity, start);
      this.#checkpoints.push(checkpoint);
      return checkpoint;
    } catch (error) {
      throw provingError(epoch, error);
    }
  }

  /** Forgets this checkpoint and later ones, which L1 has dropped, and cancels their jobs. */
  dropFrom(number: number): void {
    const at = this.#checkpoints.findIndex((checkpoint) => checkpoint.number >= number);
    if (at < 0) return;
    const reason = new EpochProvingError(this.#context.terms.epoch, `checkpoint ${number} is no longer on L1`);
    for (const checkpoint of this.#checkpoints.splice(at)) checkpoint.drop(reason);
  }

  /**
   * Proves the epoch up to checkpoint `end`, by default the last one given; all must have ended. May be called again
   * with a later end. Rejects with an EpochProvingError.
   */
  async prove(end = this.#checkpoints.at(-1)?.number): Promise<EpochProof> {
    const { jobs, terms } = this.#context;
    const checkpoints = this.#upTo(end);
    const [first] = checkpoints;
    const dropped = AbortSignal.any(checkpoints.map(({ signal }) => signal));
    const work = jobs.follow(async () => {
      const { root, opening } = await this.#proveRoot(checkpoints, dropped);
      const range = { start: first.number, end: checkpoints.length + first.number - 1 };
      const headers = checkpoints.map(({ header }) => header);
      return epochProof(terms, { ...range, headers }, root, opening);
    }, dropped);
    return firstOf(work, [this.signal, dropped]);
  }

  #upTo(end: number | undefined): EndedCheckpoint[] {
    const { epoch } = this.#context.terms;
    this.signal.throwIfAborted();
    if (end === undefined) throw new EpochProvingError(epoch, "it has no checkpoints");
    const wanted = this.#checkpoints.filter(({ number }) => number <= end);
    if (wanted.at(-1)?.number !== end) throw new EpochProvingError(epoch, `checkpoint ${end} has not begun`);
    return wanted.map(({ number, ended }) => {
      if (ended === undefined) throw new EpochProvingError(epoch, `checkpoint ${number} has not ended`);
      return ended;
    });
  }

  async #proveRoot(
    checkpoints: readonly EndedCheckpoint[],
    signal: AbortSignal,
  ): Promise<{ root: ProofData<EpochRollup>; opening: JoinedOpening }> {
    const { core, generation, jobs } = this.#context;
    const challenges = await finalChallenges(core, generation.hashing.blobs, checkpoints);
    // First, so that it is done beside the checkpoint roots.
    const blob = await joinedBlob(checkpoints, challenges.gamma);
    const opened = this.#services.kzg.open(blob, challenges.z);
    // Awaited below, or of no interest.
    opened.catch(() => {});
    const { proofs, accumulator } = await proveCheckpoints(this.#context, checkpoints, challenges);
    const children = this.#rootChildren(proofs, signal);
    const check = ({ blobs }: EpochRollup) => {
      const { gamma, gammaPower } = accumulator;
      requireEqual(BlobAccumulator, { ...blobs, gamma, gammaPower }, accumulator, "blobs", "all blobs of the epoch");
    };
    const proven = jobs.prove("ROOT_ROLLUP", children, { signal, check });
    const [root, opening] = await Promise.all([proven, opened]);
    return { root, opening };
  }

  async #rootChildren(
    proofs: readonly Promise<ProofData<CheckpointRollup>>[],
    signal: AbortSignal,
  ): Promise<{ children: readonly ProofData<CheckpointRollup>[] }> {
    const { jobs } = this.#context;
    const [left, right] = mergeHalves(proofs, (a, b) => jobs.prove("CHECKPOINT_MERGE_ROLLUP", both(a, b), { signal }));
    return both(left, right ?? jobs.prove("CHECKPOINT_PADDING_ROLLUP", {}, { signal }));
  }
}

/** `work`, or the reason of the signal that is aborted first. */
async function firstOf<T>(work: Promise<T>, signals: AbortSignal[]): Promise<T> {
  const signal = AbortSignal.any(signals);
  signal.throwIfAborted();
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    signal.addEventListener("abort", abort);
    work
      .then(resolve, (error) => reject(signal.aborted ? signal.reason : error))
      .finally(() => signal.removeEventListener("abort", abort));
  });
}
