import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { EpochChain } from "./epoch-choice.ts";
import { epochState, epochsToProve } from "./epoch-choice.ts";
import { EpochRun, type EpochRunParts, type RunEnd, type RunStatus } from "./epoch-run.ts";
import { ProvingRefusedError } from "./errors.ts";

export interface ProverNodeParts extends Omit<EpochRunParts, "chainChanged" | "prepared"> {
  readonly chain: EpochChain;
  /** Whether the chain has been caught up with. */
  readonly synced: () => boolean;
  /** Calls a listener for each change of the chain. Returns an unsubscribe function. */
  readonly onChainChange: (listener: () => void) => () => void;
  readonly pollIntervalMs: number;
  /** Runs at one time. */
  readonly maxRuns: number;
  /** Waiting times after the first, second ... failed run of an epoch, for tests. */
  readonly retryMs?: readonly number[];
  /** Called when no run has checkpoints to prepare any more, until the next one begins. */
  readonly allPrepared?: () => void;
  /** Told of each run that has ended. */
  readonly ended?: (run: EpochRun, reason: unknown) => void;
  readonly logger: Logger;
}

/** A job as `prover_getJobs` shows it. */
interface ProvingJobReport {
  readonly uuid: string;
  readonly status: RunStatus;
  readonly epochNumber: number;
}

/** Waiting times after failed runs of an epoch. */
const DEFAULT_RETRY_MS = [5_000, 15_000, 30_000, 60_000, 120_000] as const;
/** Until an epoch is looked at again that needed no proof, but is not proven by the node's own account. */
const UNNEEDED_MS = 60_000;
/** L1 blocks after a submission in which its effect must be seen. */
const SEEN_WITHIN_L1_BLOCKS = 3;

/** What is known of an epoch that is not being proven. */
interface Attempted {
  failures: number;
  /** By performance.now(): not begun again before. */
  retryAt: number;
  /** Of a run that needs no other one, unless the chain shows otherwise. */
  done?: RunEnd;
}

/**
 * Proves the epochs of a chain: begins with each as soon as it has a checkpoint, and tries again what failed, until L1
 * takes no proof of it any more.
 */
export class ProverNode {
  readonly #parts: ProverNodeParts;
  readonly #runs = new Set<EpochRun>();
  readonly #ending = new Set<Promise<void>>();
  readonly #attempted = new Map<number, Attempted>();
  /** Epochs that the node itself has begun; a run by request does not count. */
  readonly #begun = new Set<number>();
  #wakers = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #unsubscribe: (() => void) | undefined;
  #stopped = false;

  constructor(parts: ProverNodeParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#timer !== undefined || this.#stopped) return;
    this.#unsubscribe = this.#parts.onChainChange(() => {
      const wakers = [...this.#wakers];
      this.#wakers = new Set();
      for (const wake of wakers) wake();
    });
    this.#timer = setInterval(() => this.check(), this.#parts.pollIntervalMs);
    this.#timer.unref();
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#unsubscribe?.();
    for (const run of this.#runs) run.stop();
    await Promise.all(this.#ending);
  }

  /** Failed while the epoch to be proven next, or the one after it, could not be proven yet. */
  readonly health: HealthProbe = {
    name: "prover",
    read: () => {
      if (this.#timer === undefined) return { state: "waiting", reason: "the prover has not started" };
      for (const [epoch, { failures, done }] of this.#attempted) {
        if (failures === 0 || done !== undefined) continue;
        return { state: "failed", reason: `epoch ${epoch} is not proven: ${failures} failed attempts` };
      }
      return HEALTHY;
    },
  };

  /** Jobs that have not ended. */
  jobs(): ProvingJobReport[] {
    return [...this.#runs].map(({ id, status, epoch }) => ({ uuid: id, status, epochNumber: epoch }));
  }

  /**
   * Proves the checkpoints that an epoch has now, even if it is open or was proven before. Resolves when their
   * transactions were found. Rejects with a ProvingRefusedError.
   */
  async startProof(epoch: number): Promise<void> {
    const { chain, constants, preparation } = this.#parts;
    const { checkpoints } = epochState(chain, epoch, constants);
    if (checkpoints.length === 0) throw new ProvingRefusedError(`No blocks found for epoch ${epoch}`);
    this.#requireRoom();
    const run = this.#newRun(epoch, true);
    this.#runs.add(run);
    try {
      await preparation.gather(epoch, checkpoints, run.stopped);
    } catch (error) {
      this.#runs.delete(run);
      throw error;
    }
    void this.#follow(run).catch(() => {});
  }

  #requireRoom(): void {
    const { maxRuns } = this.#parts;
    if (maxRuns > 0 && this.#runs.size >= maxRuns) {
      throw new ProvingRefusedError(`Maximum pending proving jobs ${maxRuns} reached. Cannot create new job.`);
    }
  }

  /** Begins what can be begun, and ends runs whose deadline has come. Called at each interval. */
  check(): void {
    const { chain, constants, synced, maxRuns, logger } = this.#parts;
    if (this.#stopped) return;
    try {
      for (const run of this.#runs) run.checkDeadline();
      if (!synced()) return;
      const epochs = epochsToProve(chain, constants);
      for (const epoch of this.#attempted.keys()) if (epoch < (epochs[0] ?? 0)) this.#attempted.delete(epoch);
      for (const epoch of epochs) {
        if (this.#begun.has(epoch) || !this.#isDue(epoch)) continue;
        if (maxRuns > 0 && this.#runs.size >= maxRuns) return;
        this.#begin(epoch);
      }
    } catch (error) {
      logger.error({ err: error }, "choosing epochs to prove failed");
    }
  }

  #isDue(epoch: number): boolean {
    const { chain, now } = this.#parts;
    const attempted = this.#attempted.get(epoch);
    if (attempted === undefined) return true;
    const { done, retryAt } = attempted;
    if (done === undefined) return performance.now() >= retryAt && now() < this.#newRun(epoch).deadline;
    // Its proof is not on L1 any more, for example after a reorganization.
    const seen = chain.state.processed()?.number ?? 0;
    return (
      done.kind === "submitted" &&
      seen > done.l1BlockNumber + SEEN_WITHIN_L1_BLOCKS &&
      chain.provenCheckpointNumber() < done.end
    );
  }

  #newRun(epoch: number, partial = false): EpochRun {
    const parts = {
      ...this.#parts,
      chainChanged: (signal: AbortSignal) => this.#chainChanged(signal),
      prepared: () => this.#prepared(),
    };
    return new EpochRun(parts, epoch, { partial });
  }

  #begin(epoch: number): void {
    const run = this.#newRun(epoch);
    this.#begun.add(epoch);
    this.#runs.add(run);
    this.#parts.logger.info({ epoch, id: run.id }, "began to prove epoch {epoch}");
    void this.#follow(run).then(
      (done) => {
        this.#begun.delete(epoch);
        const final = done.kind === "submitted" || this.#parts.publisher === undefined;
        this.#attempted.set(epoch, { failures: 0, retryAt: performance.now() + UNNEEDED_MS, ...(final && { done }) });
      },
      () => {
        this.#begun.delete(epoch);
        const failures = (this.#attempted.get(epoch)?.failures ?? 0) + 1;
        const { retryMs = DEFAULT_RETRY_MS } = this.#parts;
        const ms = run.status === "reorg" ? 0 : retryMs[Math.min(failures, retryMs.length) - 1];
        this.#attempted.set(epoch, { failures, retryAt: performance.now() + ms });
      },
    );
  }

  #prepared(): void {
    const preparing = [...this.#runs].some(({ status }) => status === "initialized" || status === "processing");
    if (!preparing) this.#parts.allPrepared?.();
  }

  async #follow(run: EpochRun): Promise<RunEnd> {
    const { logger, ended } = this.#parts;
    const work = run.run();
    const over = work.then(
      () => undefined,
      (reason: unknown) => {
        const facts = { epoch: run.epoch, status: run.status, reason: messageOf(reason) };
        if (run.status === "stopped") logger.info(facts, "proving epoch {epoch} was stopped");
        else logger.warn(facts, "proving epoch {epoch} ended as {status}: {reason}");
        return reason;
      },
    );
    const ending = over.then((reason) => {
      this.#runs.delete(run);
      this.#ending.delete(ending);
      this.#prepared();
      ended?.(run, reason);
    });
    this.#ending.add(ending);
    await ending;
    return work;
  }

  #chainChanged(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const abort = () => {
        this.#wakers.delete(wake);
        reject(signal.reason);
      };
      const wake = () => {
        signal.removeEventListener("abort", abort);
        resolve();
      };
      if (signal.aborted) return reject(signal.reason);
      signal.addEventListener("abort", abort, { once: true });
      this.#wakers.add(wake);
    });
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
