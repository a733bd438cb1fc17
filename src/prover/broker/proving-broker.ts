import type { Logger } from "../../telemetry/logger.ts";
import { INVALID_OUTPUT } from "../jobs/proving-job.ts";
import { AgentPauses } from "./agent-pauses.ts";
import { BrokerFaultError, DuplicateJobError, FarEpochError, OutputRefusedError, StaleEpochError } from "./errors.ts";
import type { Agent, BrokerJob, JobStatus, NextJob } from "./job.ts";
import type { StoredJobs } from "./job-store.ts";
import { type Clock, JobTable, type JobTableOptions, SYSTEM_CLOCK } from "./job-table.ts";
import { type BrokerCounts, NO_COUNTS } from "./metrics.ts";
import { ParkedCalls } from "./parked-calls.ts";
import { SettledLog } from "./settled-log.ts";
import type { TrackedJob } from "./tracked-job.ts";

interface BrokerOptions extends JobTableOptions {
  /** Attempts after which a job is given up. */
  readonly maxAttempts: number;
  /** Interval at which leases and epochs are checked. */
  readonly pollIntervalMs: number;
  /** Longest time for which a call waits for something to answer with. */
  readonly longPollMs: number;
  /** What is wrong with the output of a job, if the broker can tell. `uri` is a JSON string literal. */
  readonly outputFault?: (
    job: Omit<BrokerJob, "inputsUri">,
    uri: Uint8Array,
    inputsUri: () => Uint8Array,
  ) => string | undefined;
  readonly clock?: Clock;
  readonly counts?: BrokerCounts;
}

/** A call that may wait for its answer. */
interface Patience {
  /** Aborted when the client is gone. */
  readonly signal: AbortSignal | undefined;
}

const NOT_FOUND: JobStatus = { status: "not-found" };
const IN_QUEUE: JobStatus = { status: "in-queue" };
const IN_PROGRESS: JobStatus = { status: "in-progress" };
const ABORTED = literal("Aborted");
/** Characters of a reason that are kept. */
const MAX_REASON_LENGTH = 4096;

/** A text as the bytes of a JSON string literal. */
function literal(text: string): Uint8Array {
  return Buffer.from(JSON.stringify(text));
}

/**
 * Takes proving jobs from producers (prover nodes) and gives them to agents
 * (docs/protocol/13-proving.md#133-broker). A job is on disk before it is acknowledged, and so is its output. Rejects
 * with a BrokerRequestError, or what the store throws.
 */
export class ProvingBroker {
  readonly #options: BrokerOptions;
  readonly #store: StoredJobs;
  readonly #log: Logger;
  readonly #table: JobTable;
  readonly #clock: Clock;
  readonly #counts: BrokerCounts;
  readonly #settled = new SettledLog();
  readonly #pauses = new AgentPauses();
  readonly #agents = new ParkedCalls<Agent, NextJob>();
  readonly #producers = new ParkedCalls<string, string[]>();
  /** Inputs of jobs that are not on disk yet. */
  readonly #storing = new Map<TrackedJob, { inputsUri: Uint8Array; stored: Promise<void> }>();
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;
  #stopping = false;

  constructor(store: StoredJobs, options: BrokerOptions, log: Logger) {
    this.#store = store;
    this.#options = options;
    this.#log = log;
    this.#clock = options.clock ?? SYSTEM_CLOCK;
    this.#counts = options.counts ?? NO_COUNTS;
    this.#table = new JobTable(options, this.#clock);
  }

  /** Takes up the stored jobs. */
  start(): void {
    let unsettled = 0;
    const stored = this.#store.all();
    for (const job of stored) {
      this.#table.restore(job, () => this.#store.resultText(job));
      if (job.settled === undefined) unsettled++;
    }
    if (stored.length > 0) {
      this.#log.info({ jobs: stored.length, unsettled }, "restored {jobs} proving jobs, {unsettled} of them unsettled");
    }
    const before = this.#store.lastWriteAt();
    if (before !== undefined) this.#table.queuedBefore(before);
    this.#checkedAt = this.#clock.now();
    this.#timer = setInterval(() => this.check(), this.#options.pollIntervalMs);
  }

  /** Answers all waiting calls; later ones do not wait. */
  release(): void {
    this.#stopping = true;
    this.#agents.release();
    this.#producers.release();
  }

  stop(): void {
    this.release();
    clearInterval(this.#timer);
  }

  /** Jobs of a type that wait, and that agents work on. */
  counts(type: number): { queued: number; running: number } {
    return this.#table.counts(type);
  }

  /** Returns the status that the job had before. */
  async enqueue(job: BrokerJob, client: string): Promise<JobStatus> {
    this.#settled.join(client);
    const known = this.#table.get(job.id);
    if (known !== undefined) return this.#enqueueAgain(known, job);
    this.#refuseEpoch(job);
    await this.#add(job);
    return NOT_FOUND;
  }

  async #add(job: BrokerJob): Promise<void> {
    const { id, inputsUri } = job;
    const added = this.#table.add(job);
    const stored = this.#store.add(job, added.sequence);
    this.#storing.set(added, { inputsUri, stored });
    try {
      await stored;
    } catch (error) {
      this.#table.forget(added);
      this.#refuseStale(job);
      this.#log.error({ id, err: error }, "job {id} could not be stored");
      throw new BrokerFaultError({ cause: error });
    } finally {
      this.#storing.delete(added);
    }
    // The epoch may have become stale meanwhile.
    if (!this.#table.has(added)) throw new StaleEpochError(job.epochNumber, this.#table.newest);
    this.#counts.count("enqueued", added.type);
    this.#queue(added);
  }

  async #enqueueAgain(known: TrackedJob, job: BrokerJob): Promise<JobStatus> {
    const storing = this.#storing.get(known);
    const sameInput = storing
      ? Buffer.compare(storing.inputsUri, job.inputsUri) === 0
      : this.#store.hasInput({ ...known, inputsUri: job.inputsUri });
    if (known.type !== job.type || known.epochNumber !== job.epochNumber || !sameInput) {
      throw new DuplicateJobError(job.id);
    }
    await storing?.stored;
    this.#counts.count("cached", known.type);
    if (known.state !== "rejected") return this.#statusOf(known);
    await this.#reopen(known);
    return NOT_FOUND;
  }

  /** Queues a rejected job again. */
  async #reopen(job: TrackedJob): Promise<void> {
    job.state = "settling";
    try {
      await this.#store.reopen(job, job.sequence);
    } catch (error) {
      job.state = "rejected";
      this.#log.error({ id: job.id, err: error }, "job {id} could not be stored");
      throw new BrokerFaultError({ cause: error });
    }
    if (!this.#table.has(job)) return;
    this.#table.abandon(job);
    Object.assign(job, { failures: 0, revoked: undefined, reason: undefined });
    this.#queue(job);
  }

  /** Forgets what is known of a job and queues it, whatever its state. */
  async replay(job: BrokerJob): Promise<JobStatus> {
    this.#refuseEpoch(job);
    this.#log.info({ id: job.id }, "replaying job {id}");
    await this.#add(job);
    return IN_QUEUE;
  }

  status(id: string, client: string): JobStatus {
    this.#settled.join(client);
    const job = this.#table.get(id);
    return job === undefined ? NOT_FOUND : this.#statusOf(job);
  }

  #statusOf(job: TrackedJob): JobStatus {
    switch (job.state) {
      case "fulfilled":
        return { status: "fulfilled", value: this.#resultText(job) };
      case "rejected":
        return { status: "rejected", reason: job.reason! };
      case "storing":
      case "queued":
        return IN_QUEUE;
      default:
        return IN_PROGRESS;
    }
  }

  #resultText(job: TrackedJob): Uint8Array {
    try {
      return this.#store.resultText(job);
    } catch (error) {
      this.#log.error({ id: job.id, err: error }, "the output of job {id} cannot be read");
      throw new BrokerFaultError({ cause: error });
    }
  }

  /** Rejects a job that is not settled. */
  async cancel(id: string): Promise<void> {
    const job = this.#table.get(id);
    if (job === undefined) return;
    await this.#storing.get(job)?.stored;
    if (!this.#table.has(job) || isSettled(job)) return;
    this.#log.info({ id }, "job {id} was cancelled");
    this.#counts.count("aborted", job.type);
    await this.#reject(job, ABORTED);
  }

  /** Ids that were settled since the client asked last, then those of `ids` that are settled. */
  async completed(ids: readonly string[], client: string, patience: Patience | undefined): Promise<string[]> {
    const found = this.#completed(ids, client);
    if (found.length > 0 || patience === undefined || this.#stopping) return found;
    await this.#producers.park(client, { ...patience, maxMs: this.#options.longPollMs });
    // Nothing is taken for a client that is gone.
    return patience.signal?.aborted ? [] : this.#completed(ids, client);
  }

  #completed(ids: readonly string[], client: string): string[] {
    return [...this.#settled.take(client), ...ids].filter((id) => {
      const state = this.#table.get(id)?.state;
      return state === "fulfilled" || state === "rejected";
    });
  }

  /** The next job for an agent. */
  next(agent: Agent, patience?: Patience): NextJob | undefined | Promise<NextJob | undefined> {
    const next = this.#next(agent);
    if (next !== undefined || patience === undefined || this.#stopping) return next;
    return this.#agents.park(agent, { ...patience, maxMs: this.#options.longPollMs });
  }

  #next(agent: Agent): NextJob | undefined {
    const { client, allowed } = agent;
    if (this.#pauses.isPaused(client, this.#clock.now())) return undefined;
    const lease = () => this.#table.lease(allowed, client);
    for (let job = lease(); job !== undefined; job = lease()) {
      const { id, type, epochNumber, lease: began } = job;
      this.#counts.time("wait", type, this.#clock.now() - job.queuedAt);
      try {
        return { job: { id, type, epochNumber, inputsUri: this.#store.input(job) }, time: began.startedAt };
      } catch (err) {
        this.#log.error({ id, err }, "the input of job {id} cannot be read");
        void this.#reject(job, literal("The broker cannot read the input"));
      }
    }
    return undefined;
  }

  /** A heartbeat. Returns another job if the agent should drop the one that it works on. */
  progress(id: string, startedAt: number, agent: Agent): NextJob | undefined {
    const job = this.#table.get(id);
    if (job !== undefined && this.#table.renew(job, startedAt, agent.client)) return undefined;
    return this.#next(agent);
  }

  /**
   * Stores the output of a job and returns the next one. Ignored for unknown and settled jobs, and from an agent that
   * does not have the job.
   */
  async succeed(id: string, uri: Uint8Array, agent: Agent): Promise<NextJob | undefined> {
    const job = this.#table.get(id);
    if (job === undefined || job.state === "storing" || isSettled(job)) return undefined;
    if (!this.#table.isHolder(job, agent.client)) return this.#next(agent);
    const fault = this.#options.outputFault?.(job, uri, () => this.#store.input(job));
    if (fault !== undefined) return this.#refuse(job, fault, agent);
    const { lease } = job;
    const putBack = this.#table.settling(job);
    try {
      await this.#store.settle(job, { status: "fulfilled", text: uri });
    } catch (error) {
      // The agent may report it again, and then there may be room.
      putBack();
      if (job.state === "queued") this.#serveAgents();
      this.#log.error({ id, err: error }, "the output of job {id} could not be stored");
      throw new BrokerFaultError({ cause: error });
    }
    this.#pauses.succeeded(agent.client);
    this.#counts.count("resolved", job.type);
    if (lease !== undefined) this.#counts.time("duration", job.type, this.#clock.now() - lease.since);
    if (this.#table.has(job)) this.#end(job, "fulfilled");
    return this.#next(agent);
  }

  /** A failed attempt. Throws an OutputRefusedError if the agent is to know. */
  async #refuse(job: TrackedJob, fault: string, agent: Agent): Promise<NextJob | undefined> {
    const { id, type } = job;
    const { client } = agent;
    this.#counts.count("refused", type);
    this.#log.warn({ id, client, fault }, "the agent at {client} sent no output of job {id}: {fault}");
    const reason = `${INVALID_OUTPUT}${fault}`;
    if (!agent.toldOfRefusals) return this.fail(id, reason, true, agent);
    this.#pauses.failed(client, this.#clock.now());
    this.#table.settling(job);
    this.#table.abandon(job);
    if (this.#mayTryAgain(job)) this.#retry(job, reason);
    else await this.#reject(job, literal(reason.slice(0, MAX_REASON_LENGTH)));
    throw new OutputRefusedError(id, fault);
  }

  /**
   * Takes the failure of a job from the agent that has it; the job is tried again if `retry` is set and attempts are
   * left. Returns the next job.
   */
  async fail(id: string, message: string, retry: boolean, agent: Agent): Promise<NextJob | undefined> {
    const job = this.#table.get(id);
    if (job === undefined || job.state === "storing") return undefined;
    if (isSettled(job) || !this.#table.isHolder(job, agent.client)) return this.#next(agent);
    this.#pauses.failed(agent.client, this.#clock.now());
    this.#table.settling(job);
    this.#table.abandon(job);
    if (retry && this.#mayTryAgain(job)) {
      // The agent gets another job than the one that it failed, if there is one.
      const next = this.#next(agent);
      this.#retry(job, message);
      return next;
    }
    await this.#reject(job, literal(message.slice(0, MAX_REASON_LENGTH)));
    return this.#next(agent);
  }

  #mayTryAgain(job: TrackedJob): boolean {
    return job.failures + 1 < this.#options.maxAttempts && !this.#table.isStale(job.epochNumber);
  }

  #retry(job: TrackedJob, message: string): void {
    job.failures++;
    this.#counts.count("retried", job.type);
    const { id, failures } = job;
    const reason = message.slice(0, 200);
    this.#log.warn({ id, failures, reason }, "attempt {failures} at job {id} failed, it is queued again: {reason}");
    this.#store.count(job, job).catch((err: unknown) => {
      this.#log.error({ id, err }, "the failed attempt at job {id} could not be stored");
    });
    this.#queue(job);
  }

  /** Gives a job up. In memory this succeeds even if it cannot be stored: after a restart the job then runs again. */
  async #reject(job: TrackedJob, reason: Uint8Array): Promise<void> {
    const { id } = job;
    this.#table.settling(job);
    try {
      await this.#store.settle(job, { status: "rejected", text: reason });
    } catch (err) {
      this.#log.error({ id, err }, "the rejection of job {id} could not be stored");
    }
    if (!this.#table.has(job)) return;
    job.reason = reason;
    if (reason !== ABORTED) this.#counts.count("rejected", job.type);
    this.#log.warn({ id, reason: Buffer.from(reason).toString().slice(0, 200) }, "job {id} is rejected: {reason}");
    this.#end(job, "rejected");
  }

  #end(job: TrackedJob, state: "fulfilled" | "rejected"): void {
    job.state = state;
    this.#settled.add(job.id);
    this.#producers.serve((client) => (this.#settled.hasFor(client) ? [] : undefined));
  }

  #queue(job: TrackedJob): void {
    this.#table.queue(job);
    this.#serveAgents();
  }

  #serveAgents(): void {
    this.#agents.serve((agent) => this.#next(agent));
  }

  /** Takes jobs from agents that are silent or too slow, and forgets the jobs of stale epochs. */
  check(): void {
    const now = this.#clock.now();
    const late = now - this.#checkedAt - this.#options.pollIntervalMs;
    this.#checkedAt = now;
    if (late > this.#options.pollIntervalMs) this.#table.forgive(late);
    for (const { job, reason } of this.#table.overdue()) {
      this.#table.settling(job);
      this.#counts.count("timedOut", job.type);
      if (this.#mayTryAgain(job)) this.#retry(job, reason);
      else void this.#reject(job, literal(reason));
    }
    const jobs = this.#table.dropStale();
    const oldest = this.#table.oldestKept;
    if (jobs > 0) {
      this.#log.info({ jobs, oldest }, "forgot {jobs} proving jobs of epochs before {oldest}");
      this.#settled.keep((id) => this.#table.get(id) !== undefined);
    }
    if (oldest > 0) {
      this.#store.removeBefore(oldest).catch((err: unknown) => {
        this.#log.error({ oldest, err }, "the jobs of epochs before {oldest} could not be removed");
      });
    }
  }

  #refuseEpoch(job: Pick<BrokerJob, "epochNumber">): void {
    this.#refuseStale(job);
    if (this.#table.isFarAhead(job.epochNumber)) throw new FarEpochError(job.epochNumber, this.#table.newest);
  }

  #refuseStale({ epochNumber }: Pick<BrokerJob, "epochNumber">): void {
    if (this.#table.isStale(epochNumber)) throw new StaleEpochError(epochNumber, this.#table.newest);
  }
}

/** Whether a job has its result, or gets it. */
function isSettled({ state }: TrackedJob): boolean {
  return state === "settling" || state === "fulfilled" || state === "rejected";
}
