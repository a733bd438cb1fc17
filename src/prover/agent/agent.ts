import { setTimeout as sleep } from "node:timers/promises";
import { ContentError } from "../../errors/content-error.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { ObjectStoreError } from "../../storage/objects/errors.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { jobIdOf, parseJobId } from "../jobs/job-id.ts";
import type { StoredInput } from "../jobs/job-result.ts";
import { type JobType, nameOfJobType } from "../jobs/job-type.ts";
import {
  type AssignedJob,
  type JobConsumerApi,
  type JobFilter,
  type ProvingJob,
  RefusedOutputError,
} from "../jobs/proving-job.ts";
import type { AgentProofStore } from "../proof-store/proof-store.ts";
import { Heartbeats } from "./heartbeats.ts";
import { type AgentCounts, type JobOutcome, NO_AGENT_COUNTS } from "./metrics.ts";
import { type Prover, ProvingError } from "./prover.ts";

export interface AgentParts {
  /** Of the agent within its process. */
  name: string;
  broker: JobConsumerApi;
  store: AgentProofStore;
  prover: Prover;
  /** Types to take; empty for all. */
  types: readonly JobType[];
  /** Between requests for a job while there is none, and between heartbeats. */
  pollIntervalMs: number;
  logger: Logger;
  counts?: AgentCounts | undefined;
}

type AgentStatus =
  | { readonly status: "stopped" | "running" }
  | { readonly status: "proving"; readonly job: ProvingJob; readonly startedAt: Date };

/** How a job ended; nothing is reported of one that was replaced. */
type Outcome =
  | { readonly kind: "done"; readonly uri: string }
  | { readonly kind: "failed"; readonly message: string; readonly retry: boolean };

/** Longest reason that is reported. */
const MAX_MESSAGE = 1000;
/** Ids are longer only if the broker makes its own. */
const MAX_ID_SHOWN = 200;

/** Takes one job after the other from a broker, and reports its output or why there is none. */
export class Agent {
  readonly #parts: AgentParts;
  readonly #filter: JobFilter;
  readonly #stop = new AbortController();
  #loop: Promise<void> | undefined;
  #current: { job: ProvingJob; startedAt: Date } | undefined;
  #lastFailure: string | undefined;

  constructor(parts: AgentParts) {
    this.#parts = parts;
    this.#filter = { allowList: parts.types };
  }

  start(): void {
    this.#loop ??= this.#run();
  }

  /** Drops the job in progress: the broker gives it to another agent when heartbeats stay away. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#loop;
  }

  get status(): AgentStatus {
    if (this.#loop === undefined || this.#stop.signal.aborted) return { status: "stopped" };
    return this.#current === undefined ? { status: "running" } : { status: "proving", ...this.#current };
  }

  async #run(): Promise<void> {
    const { broker, pollIntervalMs } = this.#parts;
    while (!this.#stop.signal.aborted) {
      const nextPoll = performance.now() + pollIntervalMs;
      let next = await this.#asked(() => broker.getProvingJob(this.#filter), "no job could be asked for");
      // A broker that waited for a job before it answered, or that had one, is asked again at once.
      if (next === undefined) await this.#pause(nextPoll - performance.now());
      while (next !== undefined && !this.#stop.signal.aborted) next = await this.#work(next);
    }
  }

  /** The broker's answer; undefined if it cannot be had, which is logged when it begins or its reason changes. */
  async #asked(ask: () => Promise<AssignedJob | undefined>, failure: string): Promise<AssignedJob | undefined> {
    try {
      const answer = await ask();
      this.#lastFailure = undefined;
      return answer;
    } catch (error) {
      const { name, logger } = this.#parts;
      const reason = `${failure}: ${messageOf(error)}`;
      if (!this.#stop.signal.aborted && reason !== this.#lastFailure) {
        logger.warn({ agent: name, reason }, "agent {agent}: {reason}");
      }
      this.#lastFailure = reason;
      return undefined;
    }
  }

  /** Does a job. Returns the next one, if the broker has one. */
  async #work({ job, time }: AssignedJob): Promise<AssignedJob | undefined> {
    const { name, broker, pollIntervalMs, logger, counts = NO_AGENT_COUNTS } = this.#parts;
    const facts = { agent: name, job: job.id.slice(0, MAX_ID_SHOWN) };
    this.#current = { job, startedAt: new Date() };
    const start = performance.now();
    const ended = (outcome: JobOutcome) => counts.ended(job.type, outcome, performance.now() - start);
    const heartbeats = new Heartbeats(
      () =>
        this.#asked(() => broker.reportProvingJobProgress(job.id, time, this.#filter), "no heartbeat could be sent"),
      pollIntervalMs,
    );
    try {
      const signal = AbortSignal.any([this.#stop.signal, heartbeats.replaced.signal]);
      const outcome = await this.#outcome(job, signal);
      const replacement = await heartbeats.stop();
      if (replacement !== undefined) {
        ended("replaced");
        logger.info(facts, "agent {agent}: {job} was taken over or settled by another");
        return replacement;
      }
      if (this.#stop.signal.aborted) return undefined;
      ended(outcome.kind);
      const ms = Math.round(performance.now() - start);
      if (outcome.kind === "done") logger.info({ ...facts, ms }, "agent {agent}: {job} done in {ms} ms");
      else logger.warn({ ...facts, reason: outcome.message }, "agent {agent}: {job} failed: {reason}");
      return await this.#report(job.id, outcome);
    } finally {
      this.#current = undefined;
    }
  }

  async #report(id: string, outcome: Outcome): Promise<AssignedJob | undefined> {
    const { name, broker, logger } = this.#parts;
    const failed = (message: string, retry: boolean) =>
      this.#asked(() => broker.reportProvingJobError(id, message, retry, this.#filter), "no failure could be reported");
    if (outcome.kind === "failed") return failed(outcome.message, outcome.retry);
    try {
      return await broker.reportProvingJobSuccess(id, outcome.uri, this.#filter);
    } catch (error) {
      if (this.#stop.signal.aborted) return undefined;
      if (error instanceof RefusedOutputError) {
        const facts = { agent: name, job: id.slice(0, MAX_ID_SHOWN), reason: error.fault };
        logger.warn(facts, "agent {agent}: the broker refuses the output of {job}: {reason}");
        return undefined;
      }
      // Without a report the broker would hand the job out again and again, for example if outputs exceed its limit.
      return failed(`The output could not be reported: ${messageOf(error)}`, true);
    }
  }

  /** Never throws: a job that cannot be done is reported. */
  async #outcome(job: ProvingJob, signal: AbortSignal): Promise<Outcome> {
    const { store, prover } = this.#parts;
    let stored: StoredInput;
    try {
      stored = await store.loadInput(job.inputsUri, signal);
    } catch (error) {
      // Another attempt may find what a store has not yet, but malformed content stays as it is.
      return failure(`Failed to load proof inputs: ${reportable(error)}`, !(error instanceof ContentError));
    }
    try {
      requireInputOf(job, stored);
      const result = await prover.prove(stored, signal);
      return { kind: "done", uri: await store.saveOutput(job.id, stored.type, result, signal) };
    } catch (error) {
      if (error instanceof ContentError) return failure(messageOf(error), false);
      if (error instanceof ProvingError) return failure(messageOf(error), error.retry);
      return failure(`Failed: ${reportable(error)}`, true);
    }
  }

  async #pause(ms: number): Promise<void> {
    if (ms > 0) await sleep(ms, undefined, { signal: this.#stop.signal }).catch(() => undefined);
  }
}

/** The broker's store of inputs may be mixed up: an output must not stand for another input than the id says. */
function requireInputOf(job: ProvingJob, { type, input }: StoredInput): void {
  if (type !== job.type) {
    throw new DecodeError("input.type", `must be ${nameOfJobType(job.type)}, got ${nameOfJobType(type)}`);
  }
  const parts = parseJobId(job.id);
  if (parts !== undefined && !job.id.startsWith(jobIdOf(parts.epoch, parts.type, input))) {
    throw new DecodeError("input", "must have the hash in the job's id");
  }
}

function failure(message: string, retry: boolean): Outcome {
  return { kind: "failed", message: message.slice(0, MAX_MESSAGE), retry };
}

/** What a broker and its clients may know of an error: not where an agent's proof store is. */
function reportable(error: unknown): string {
  if (!(error instanceof ObjectStoreError)) return messageOf(error);
  return `the agent's proof store cannot ${error.operation} ${error.key}: ${error.rule}`;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
