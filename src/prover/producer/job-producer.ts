import { setTimeout as sleep } from "node:timers/promises";
import { within } from "../../events/within.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { BrokerOutages } from "../broker-client/broker-outages.ts";
import { BrokerRefusalError, BrokerUnavailableError } from "../broker-client/errors.ts";
import { checkedResult } from "../circuits/checked-result.ts";
import type { ProofRules } from "../circuits/layouts/proof-data.ts";
import type { JobRequest, JobRunner } from "../epoch/job-runner.ts";
import { isInlineUri } from "../jobs/inline-uri.ts";
import { attemptIdOf, jobIdOf } from "../jobs/job-id.ts";
import type { JobResult } from "../jobs/job-result.ts";
import { type JobType, nameOfJobType } from "../jobs/job-type.ts";
import type { JobProducerApi, NewProvingJob, ProvingJobStatus } from "../jobs/proving-job.ts";
import type { ProducerProofStore } from "../proof-store/proof-store.ts";
import { Slots } from "../slots.ts";
import { JobAbandonedError, JobFailedError } from "./errors.ts";
import { Settlements } from "./settlements.ts";

export interface JobProducerParts {
  readonly broker: JobProducerApi;
  /** Of the generation whose circuits prove the jobs. */
  readonly rules: Pick<ProofRules, "circuits">;
  readonly store: ProducerProofStore;
  /** Gets the inputs of rejected jobs. */
  readonly failedStore?: ProducerProofStore | undefined;
  /** Jobs that are encoded, stored and enqueued at one time. */
  readonly enqueueConcurrency: number;
  /** Whether jobs that are given up are cancelled at the broker; else agents may still do them. */
  readonly cancelsJobs: boolean;
  /** Learns of calls that wait for the broker. */
  readonly outages: Pick<BrokerOutages, "failed" | "ended">;
  readonly logger: Logger;
  /** Replaces the waiting times, for tests. */
  readonly times?: Partial<ProducerTimes>;
}

interface ProducerTimes {
  readonly pollIntervalMs: number;
  readonly snapshotIntervalMs: number;
  /** Before each further attempt to fetch an output. */
  readonly fetchDelaysMs: readonly number[];
  /** While the broker cannot be reached, after the retries of the connection itself. */
  readonly unreachableDelayMs: number;
}

const TIMES: ProducerTimes = {
  pollIntervalMs: 100,
  snapshotIntervalMs: 5000,
  fetchDelaysMs: [250, 1000, 3000, 5000],
  unreachableDelayMs: 3000,
};

/** Statuses asked for and outputs fetched at one time. */
const FETCHES = 10;
/** Ids under which a job is tried: its own, then its own with a number. */
const MAX_ATTEMPTS = 3;
/** Longest time that a stop waits for jobs to be cancelled. */
const CANCEL_MS = 10_000;

/**
 * Reasons of rejections that say nothing about the job: agents were gone, its input could not be read, or an earlier
 * run of this program cancelled it when it stopped.
 */
const PASSING_REASON = /^(Timed out|Failed to load proof inputs|The broker cannot read the input|Aborted)/;

/** What became of one attempt. After a failure another one may succeed. */
type Outcome =
  | { readonly kind: "done"; readonly result: JobResult }
  | { readonly kind: "failed"; readonly error: JobFailedError };

/**
 * Has jobs done by the agents of a broker. A job that the broker loses is enqueued again. One whose output is lost or
 * cannot be read is tried again under another id, because a broker answers a known id with its first result.
 */
export class JobProducer implements JobRunner {
  readonly #parts: JobProducerParts;
  readonly #times: ProducerTimes;
  readonly #stopping = new AbortController();
  readonly #settlements: Settlements;
  readonly #enqueueing: Slots;
  readonly #fetching = new Slots(FETCHES);
  /** Outputs to come, by the job's id. */
  readonly #running = new Map<string, Promise<JobResult>>();
  readonly #cancelling = new Set<Promise<void>>();

  constructor(parts: JobProducerParts) {
    this.#parts = parts;
    this.#times = { ...TIMES, ...parts.times };
    this.#settlements = new Settlements(parts.broker, {
      ...this.#times,
      signal: this.#stopping.signal,
      outages: parts.outages,
    });
    this.#enqueueing = new Slots(parts.enqueueConcurrency);
  }

  /**
   * The output of a job, checked by its codec. `job.input` is called again if the job is enqueued again, so that no
   * input is held while a job waits. Rejects with a JobFailedError, or with a JobAbandonedError if `given` is aborted
   * or the producer stops.
   */
  async run(job: JobRequest, given: AbortSignal): Promise<JobResult> {
    const signal = AbortSignal.any([given, this.#stopping.signal]);
    try {
      for (;;) {
        const { output } = await this.#enqueueing.run(() => this.#begin(job, signal));
        const result = await within(output, { signal }).catch((error: unknown) => {
          // Another caller gave up the same job.
          if (!(error instanceof JobAbandonedError)) throw error;
        });
        if (result !== undefined) return result;
        signal.throwIfAborted();
      }
    } catch (error) {
      if (signal.aborted) throw new JobAbandonedError(`${job.epoch}:${nameOfJobType(job.type)}`);
      throw error;
    }
  }

  /** Gives up all jobs, and waits a while for those to be cancelled that are to be. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    // Runs note what they cancel when they see the signal.
    await new Promise(setImmediate);
    await within(Promise.all(this.#cancelling), { ms: CANCEL_MS, ref: false });
  }

  /** Resolves once a job is enqueued, or joins the same one that is running. */
  async #begin(job: JobRequest, signal: AbortSignal): Promise<{ output: Promise<JobResult> }> {
    signal.throwIfAborted();
    const input = job.input();
    const id = jobIdOf(job.epoch, job.type, input);
    const running = this.#running.get(id);
    if (running !== undefined) return { output: running };
    const submitted = this.#submit(id, job, input, signal);
    const output = this.#outputOf(id, job, submitted, signal).finally(() => this.#running.delete(id));
    this.#running.set(id, output);
    // Its failure is that of the output, which is awaited later.
    output.catch(() => undefined);
    await submitted.catch(() => undefined);
    return { output };
  }

  async #outputOf(
    id: string,
    job: JobRequest,
    submitted: Promise<ProvingJobStatus>,
    signal: AbortSignal,
  ): Promise<JobResult> {
    try {
      let outcome = await this.#attempt(id, job, submitted, signal);
      for (let attempt = 2; outcome.kind === "failed"; attempt++) {
        const { reason } = outcome.error;
        if (attempt > MAX_ATTEMPTS) throw outcome.error;
        this.#parts.logger.warn({ id, attempt, reason }, "proving job {id} begins its attempt {attempt}: {reason}");
        const next = attemptIdOf(id, attempt);
        outcome = await this.#attempt(next, job, this.#submitAgain(next, job, signal), signal);
      }
      return outcome.result;
    } catch (error) {
      if (signal.aborted) throw new JobAbandonedError(id);
      if (error instanceof JobFailedError && error.failure === "rejected") await this.#keepInput(id, job);
      throw error;
    }
  }

  async #attempt(
    id: string,
    job: JobRequest,
    submitted: Promise<ProvingJobStatus>,
    signal: AbortSignal,
  ): Promise<Outcome> {
    const watch = this.#settlements.watch(id, job.epoch);
    let settled = false;
    try {
      let status = await submitted;
      while (status.status !== "fulfilled" && status.status !== "rejected") {
        await watch.settled(signal);
        status = await this.#fetching.run(() => this.#reach(id, (broker) => broker.getProvingJobStatus(id), signal));
        if (status.status === "not-found") {
          this.#parts.logger.warn({ id }, "the broker lost proving job {id}, it is enqueued again");
          status = await this.#submitAgain(id, job, signal);
        }
      }
      settled = true;
      return status.status === "fulfilled"
        ? await this.#fetch(id, status.value, job.type, signal)
        : rejection(new JobFailedError(id, "rejected", status.reason));
    } finally {
      watch.end();
      this.#parts.store.discard?.(id);
      if (signal.aborted && !settled && this.#parts.cancelsJobs) this.#cancel(id);
    }
  }

  #submitAgain(id: string, job: JobRequest, signal: AbortSignal): Promise<ProvingJobStatus> {
    return this.#enqueueing.run(() => this.#submit(id, job, job.input(), signal));
  }

  /** Stores the input and enqueues the job. Returns the status before the call. */
  async #submit(
    id: string,
    { type, epoch }: JobRequest,
    input: Uint8Array,
    signal: AbortSignal,
  ): Promise<ProvingJobStatus> {
    signal.throwIfAborted();
    const inputsUri = await this.#parts.store.saveInput(id, type, input, signal);
    try {
      const job: NewProvingJob = { id, type, epochNumber: epoch, inputsUri };
      return await this.#reach(id, (broker) => broker.enqueueProvingJob(job), signal);
    } catch (error) {
      // Known with another URI. Its input is the same, since the id has the input's hash.
      if (!isDuplicate(error)) throw error;
      return this.#reach(id, (broker) => broker.getProvingJobStatus(id), signal);
    }
  }

  /** Repeats a call for as long as the broker is away. The caller's signal limits it. */
  async #reach<T>(id: string, call: (broker: JobProducerApi) => Promise<T>, signal: AbortSignal): Promise<T> {
    const { broker, outages, logger } = this.#parts;
    const caller = {};
    try {
      for (;;) {
        signal.throwIfAborted();
        try {
          return await call(broker);
        } catch (error) {
          if (isDuplicate(error)) throw error;
          const reason = messageOf(error);
          if (!(error instanceof BrokerUnavailableError) || error.permanent) {
            throw new JobFailedError(id, "refused", reason, { cause: error });
          }
          signal.throwIfAborted();
          outages.failed(caller, reason);
          logger.debug({ id, reason }, "the broker is not available for proving job {id}: {reason}");
          await sleep(this.#times.unreachableDelayMs, undefined, { signal });
        }
      }
    } finally {
      outages.ended(caller);
    }
  }

  async #fetch(id: string, uri: string, type: JobType, signal: AbortSignal): Promise<Outcome> {
    // What an inline URI contains does not change.
    const delaysMs = isInlineUri(uri) ? [] : this.#times.fetchDelaysMs;
    for (let failures = 0; ; failures++) {
      try {
        const stored = await this.#fetching.run(() => this.#parts.store.loadOutput(uri, signal));
        return { kind: "done", result: checkedResult(this.#parts.rules, type, stored) };
      } catch (error) {
        signal.throwIfAborted();
        if (failures === delaysMs.length) {
          const reason = `its output cannot be had: ${messageOf(error)}`;
          return { kind: "failed", error: new JobFailedError(id, "output", reason, { cause: error }) };
        }
        await sleep(delaysMs[failures], undefined, { signal });
      }
    }
  }

  /** Copies the input of a job that failed to the store for them. */
  async #keepInput(id: string, job: JobRequest): Promise<void> {
    const { failedStore, logger } = this.#parts;
    if (failedStore === undefined) return;
    try {
      const uri = await failedStore.saveInput(id, job.type, job.input(), this.#stopping.signal);
      logger.info({ id, uri: String(uri).slice(0, 300) }, "the input of the failed proving job {id} is kept at {uri}");
    } catch (error) {
      logger.warn({ id, reason: messageOf(error) }, "the input of the failed proving job {id} is not kept: {reason}");
    }
  }

  #cancel(id: string): void {
    const { broker, logger } = this.#parts;
    const cancelled = this.#fetching
      .run(() => broker.cancelProvingJob(id))
      .catch((error: unknown) => {
        logger.warn({ id, reason: messageOf(error) }, "proving job {id} could not be cancelled: {reason}");
      })
      .finally(() => this.#cancelling.delete(cancelled));
    this.#cancelling.add(cancelled);
  }
}

/** Throws the error unless another attempt may succeed. */
function rejection(error: JobFailedError): Outcome {
  if (!PASSING_REASON.test(error.reason)) throw error;
  return { kind: "failed", error };
}

function isDuplicate(error: unknown): boolean {
  return error instanceof BrokerRefusalError && error.message.includes("Duplicate proving job ID");
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
