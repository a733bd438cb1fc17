import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { CheckpointRecord } from "../../archiver/tables/records.ts";
import { equal } from "../../protocol/bytes.ts";
import type { L1Constants } from "../../protocol/time.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { EpochProof } from "../epoch/epoch-types.ts";
import type { CheckpointPreparation, EpochInProof } from "./checkpoint-preparation.ts";
import { type EpochChain, epochState, proofDeadline } from "./epoch-choice.ts";
import type { EpochPublisher } from "./epoch-publisher.ts";
import { DeadlinePassedError, EpochReorganizedError, ProofRefusedError, ProvingRefusedError } from "./errors.ts";
import type { PostedCheckpoints } from "./posted-checkpoints.ts";

/** States of a proving job as `prover_getJobs` shows them. */
export type RunStatus =
  | "initialized"
  | "processing"
  | "awaiting-prover"
  | "publishing-proof"
  | "completed"
  | "failed"
  | "stopped"
  | "timed-out"
  | "reorg";

export interface EpochRunParts {
  readonly chain: EpochChain;
  readonly constants: L1Constants;
  /** Begins the proof of an epoch. */
  readonly startProof: (epoch: number) => EpochInProof;
  readonly preparation: Pick<CheckpointPreparation, "gather" | "prepare">;
  /** Why no proof of a checkpoint can exist, if that is so. */
  readonly obstacle: (checkpoint: CheckpointRecord) => string | undefined;
  readonly posted: PostedCheckpoints;
  /** Undefined if proofs are made but not submitted. */
  readonly publisher: Pick<EpochPublisher, "publish"> | undefined;
  /** Checkpoints of an epoch whose blocks are being proven at one time; 0 for any number. */
  readonly parallelCheckpoints: number;
  /** Before a complete epoch is proven. */
  readonly provingDelayMs: number;
  /** Between attempts to submit a proof. */
  readonly resubmitMs: number;
  /** Resolves when the chain has changed, or rejects when the signal is aborted. */
  readonly chainChanged: (signal: AbortSignal) => Promise<void>;
  /** Unix milliseconds, by L1. */
  readonly now: () => number;
  /** Called when all checkpoints of an epoch are in its proof. */
  readonly prepared?: () => void;
  /** Told how long each checkpoint took. */
  readonly checkpointPrepared?: (ms: number) => void;
  readonly logger: Logger;
}

/** Figures of a run that has a proof. Times in milliseconds. */
interface ProvenFigures {
  readonly checkpoints: number;
  readonly blocks: number;
  readonly txs: number;
  /** Executing the checkpoints and making their jobs. */
  readonly preparingMs: number;
  /** From the beginning of the run to the proof. */
  readonly ms: number;
}

interface EpochRunOptions {
  /** Prove the checkpoints that are there now, even if the epoch is open. */
  readonly partial?: boolean;
}

/** What became of a run that did not fail. */
export type RunEnd =
  | { readonly kind: "submitted"; readonly end: number; readonly l1BlockNumber: number }
  /** The proof is not wanted: L1 has one, none is to be submitted, or the epoch has no checkpoints any more. */
  | { readonly kind: "unneeded" };

/**
 * One attempt to prove an epoch. Checkpoints are executed and their jobs handed out as they land on L1, also while the
 * epoch is open; once it is complete, the proof is awaited and submitted.
 */
export class EpochRun {
  readonly id = randomUUID();
  readonly epoch: number;
  readonly deadline: number;
  readonly #parts: EpochRunParts;
  readonly #options: EpochRunOptions;
  readonly #stopping = new AbortController();
  /** Checkpoints that are in the proof. */
  readonly #taken: CheckpointRecord[] = [];
  /** Of each checkpoint in the proof. */
  readonly #prepared: { txs: number; ms: number }[] = [];
  /** Checkpoints whose blocks are being proven. */
  readonly #inProof = new Set<Promise<void>>();
  readonly #begun = performance.now();
  #proven: ProvenFigures | undefined;
  #status: RunStatus = "initialized";

  constructor(parts: EpochRunParts, epoch: number, options: EpochRunOptions = {}) {
    this.#parts = parts;
    this.epoch = epoch;
    this.#options = options;
    this.deadline = proofDeadline(epoch, parts.constants);
  }

  get status(): RunStatus {
    return this.#status;
  }

  get checkpoints(): readonly CheckpointRecord[] {
    return this.#taken;
  }

  /** Set once the epoch is proven. */
  get proven(): ProvenFigures | undefined {
    return this.#proven;
  }

  /** Aborted when the run is to end. */
  get stopped(): AbortSignal {
    return this.#stopping.signal;
  }

  /** Ends the run; jobs that agents work on may go on. */
  stop(): void {
    this.#stopping.abort(new ProvingRefusedError(`proving epoch ${this.epoch} was stopped`));
  }

  /** Ends the run if L1's time is past the deadline. */
  checkDeadline(): void {
    if (this.#parts.now() >= this.deadline) this.#stopping.abort(new DeadlinePassedError(this.epoch));
  }

  /** Rejects with the reason if there is no proof on L1 in the end; `status` then says what kind of reason it is. */
  async run(): Promise<RunEnd> {
    this.checkDeadline();
    const proof = this.#parts.startProof(this.epoch);
    const signal = AbortSignal.any([this.#stopping.signal, proof.signal]);
    try {
      signal.throwIfAborted();
      this.#status = "processing";
      const prepared = await this.#prepare(proof, signal);
      const end = prepared ? await this.#prove(proof, signal) : ({ kind: "unneeded" } as const);
      this.#status = "completed";
      return end;
    } catch (error) {
      const reason = signal.aborted ? signal.reason : error;
      this.#status = this.#statusAfter(reason);
      throw reason;
    } finally {
      proof.abort(new ProvingRefusedError(`proving epoch ${this.epoch} has ended`));
    }
  }

  #statusAfter(reason: unknown): RunStatus {
    if (reason instanceof DeadlinePassedError) return "timed-out";
    if (reason instanceof EpochReorganizedError) return "reorg";
    return this.#stopping.signal.aborted ? "stopped" : "failed";
  }

  /** Puts all checkpoints into the proof, while the epoch goes on. Returns false if there is nothing to prove. */
  async #prepare(proof: EpochInProof, signal: AbortSignal): Promise<boolean> {
    const { chain, constants, chainChanged, provingDelayMs, parallelCheckpoints, obstacle: obstacleOf } = this.#parts;
    const last = this.#options.partial ? this.#state().checkpoints.at(-1)?.number : undefined;
    for (;;) {
      signal.throwIfAborted();
      const changed = chainChanged(signal);
      // Awaited below, or of no interest.
      changed.catch(() => {});
      this.#dropReplaced(proof);
      const state = epochState(chain, this.epoch, constants);
      const wanted = state.checkpoints.filter(({ number }) => last === undefined || number <= last);
      const next = wanted[this.#taken.length];
      const obstacle = next && obstacleOf(next);
      if (next !== undefined && obstacle === undefined) {
        const isFull = parallelCheckpoints > 0 && this.#inProof.size >= parallelCheckpoints;
        if (isFull) await Promise.race([changed, ...this.#inProof]);
        else await this.#take(proof, next, signal);
      } else if (state.complete || last !== undefined) {
        if (wanted.length === 0) return false;
        if (next !== undefined && obstacle !== undefined) this.#stopBefore(next.number, obstacle);
        if (!this.#options.partial) await sleep(provingDelayMs, undefined, { signal });
        if (this.#replacedAt() === undefined) return true;
      } else await changed;
    }
  }

  /**
   * L1 takes a proof of an epoch's first checkpoints. Throws a ProvingRefusedError if there is none before `number`.
   */
  #stopBefore(number: number, reason: string): void {
    if (this.#taken.length === 0) throw new ProvingRefusedError(`checkpoint ${number} cannot be proven: ${reason}`);
    const facts = { epoch: this.epoch, number, reason };
    this.#parts.logger.error(facts, "epoch {epoch} can be proven only up to the checkpoint before {number}: {reason}");
  }

  async #take(proof: EpochInProof, checkpoint: CheckpointRecord, signal: AbortSignal): Promise<void> {
    const { preparation, checkpointPrepared, logger } = this.#parts;
    const began = performance.now();
    this.#taken.push(checkpoint);
    let txs: number;
    try {
      const prepared = await preparation.prepare(proof, this.epoch, checkpoint, signal);
      txs = prepared.txs;
      const settled = prepared.settled.then(() => void this.#inProof.delete(settled));
      this.#inProof.add(settled);
    } catch (error) {
      // What failed is of no interest if the checkpoint is not there any more.
      const replaced = this.#replacedAt();
      if (replaced === undefined || signal.aborted) throw error;
      this.#dropReplaced(proof);
      return;
    }
    const ms = Math.round(performance.now() - began);
    this.#prepared.push({ txs, ms });
    checkpointPrepared?.(ms);
    const facts = { epoch: this.epoch, checkpoint: checkpoint.number, blocks: checkpoint.blockCount, ms };
    logger.info(facts, "checkpoint {checkpoint} of epoch {epoch} is prepared for proving");
  }

  #state() {
    const { chain, constants } = this.#parts;
    return epochState(chain, this.epoch, constants);
  }

  /** Index of the first checkpoint in the proof that is not on the chain any more. */
  #replacedAt(): number | undefined {
    const { checkpoints } = this.#state();
    const at = this.#taken.findIndex(
      ({ number, archiveRoot }, i) =>
        checkpoints[i]?.number !== number || !equal(checkpoints[i].archiveRoot, archiveRoot),
    );
    return at < 0 ? undefined : at;
  }

  #dropReplaced(proof: EpochInProof): void {
    const at = this.#replacedAt();
    if (at === undefined) return;
    const { number } = this.#taken[at];
    this.#parts.logger.warn({ epoch: this.epoch, number }, "checkpoints from {number} on were replaced on L1");
    proof.dropFrom(number);
    this.#taken.splice(at);
    this.#prepared.splice(at);
  }

  async #prove(proof: EpochInProof, signal: AbortSignal): Promise<RunEnd> {
    const { logger, publisher } = this.#parts;
    this.#status = "awaiting-prover";
    this.#parts.prepared?.();
    const [first, last] = [this.#taken[0], this.#taken[this.#taken.length - 1]];
    const facts = { epoch: this.epoch, start: first.number, end: last.number };
    const began = performance.now();
    const proven = await this.#whileUnchanged(proof.prove(), signal);
    const ms = Math.round(performance.now() - began);
    this.#proven = {
      checkpoints: this.#taken.length,
      blocks: this.#taken.reduce((sum, { blockCount }) => sum + blockCount, 0),
      txs: this.#prepared.reduce((sum, each) => sum + each.txs, 0),
      preparingMs: this.#prepared.reduce((sum, each) => sum + each.ms, 0),
      ms: Math.round(performance.now() - this.#begun),
    };
    logger.info({ ...facts, ms }, "proved checkpoints {start} to {end} of epoch {epoch}");
    if (publisher === undefined) return { kind: "unneeded" };
    this.#status = "publishing-proof";
    return this.#publish(publisher, proven, last, signal);
  }

  async #publish(
    publisher: Pick<EpochPublisher, "publish">,
    proof: EpochProof,
    last: CheckpointRecord,
    signal: AbortSignal,
  ): Promise<RunEnd> {
    const { posted, resubmitMs, chain, chainChanged, logger } = this.#parts;
    const { publicInputs, ...arguments_ } = proof;
    for (;;) {
      signal.throwIfAborted();
      if (this.#replacedAt() !== undefined) throw new EpochReorganizedError(this.epoch, last.number);
      if (chain.provenCheckpointNumber() < proof.start - 1) {
        await chainChanged(signal);
        continue;
      }
      const { attestations } = await posted.read(last);
      const submission = { ...arguments_, attestations };
      const outcome = await publisher.publish({ epoch: this.epoch, submission, publicInputs, deadline: this.deadline });
      const { start, end } = proof;
      const facts = { epoch: this.epoch, start, end };
      switch (outcome.kind) {
        case "submitted": {
          const { txHash, l1BlockNumber } = outcome;
          const text =
            "submitted the proof of epoch {epoch}, checkpoints {start} to {end}, in L1 block {l1BlockNumber}";
          logger.info({ ...facts, txHash, l1BlockNumber }, text);
          return { kind: "submitted", end, l1BlockNumber };
        }
        case "already submitted":
        case "already proven":
          logger.info(facts, "epoch {epoch} is proven on L1 already, up to checkpoint {end} or more");
          return { kind: "unneeded" };
        case "stale":
          throw new EpochReorganizedError(this.epoch, last.number);
        case "wrong":
          throw new ProofRefusedError(outcome.reason);
        case "not mined":
          logger.warn({ ...facts, reason: outcome.reason }, "the proof of epoch {epoch} is not on L1 yet: {reason}");
          await sleep(resubmitMs, undefined, { signal });
      }
    }
  }

  /** Waits for a result, unless the chain that it is about is replaced. */
  async #whileUnchanged<T>(result: Promise<T>, signal: AbortSignal): Promise<T> {
    const done = new AbortController();
    const either = AbortSignal.any([signal, done.signal]);
    const watch = async (): Promise<never> => {
      for (;;) {
        const at = this.#replacedAt();
        if (at !== undefined) throw new EpochReorganizedError(this.epoch, this.#taken[at].number);
        await this.#parts.chainChanged(either);
      }
    };
    result.catch(() => {});
    const watching = watch();
    watching.catch(() => {});
    try {
      return await Promise.race([result, watching]);
    } finally {
      done.abort();
    }
  }
}
