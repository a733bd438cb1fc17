import type { StoredJob } from "./epoch-store.ts";
import type { AllowedTypes, BrokerJob } from "./job.ts";
import { ReadyJobs } from "./ready-jobs.ts";
import type { Lease, TrackedJob } from "./tracked-job.ts";

export interface JobTableOptions {
  /** A job whose agent is silent for this long is taken from it. */
  readonly jobTimeoutMs: number;
  /** A job that an agent has had for this long is taken from it, whatever it says. */
  readonly jobLimitMs: number;
  /** Epochs before the newest one whose jobs are kept. */
  readonly epochsToKeep: number;
}

/** Epochs that a job may be ahead of the newest known one, beside those that can have passed since the last job. */
const EPOCHS_AHEAD = 64;
/** No rollup has shorter epochs for long, in milliseconds. */
const MIN_EPOCH_MS = 10_000;
/** An epoch a minute for thirty years. */
const MAX_EPOCH = 2 ** 24;

/** Time as the table sees it, in milliseconds. */
export interface Clock {
  /** Since 1970. May jump. */
  time(): number;
  /** Since some moment. Never goes back. */
  now(): number;
}

export const SYSTEM_CLOCK: Clock = { time: () => Date.now(), now: () => performance.now() };

/** All jobs of the broker, which of them wait and who works on which. In memory and synchronous. */
export class JobTable {
  readonly #options: JobTableOptions;
  readonly #clock: Clock;
  readonly #jobs = new Map<string, TrackedJob>();
  readonly #ready = new ReadyJobs();
  readonly #running = new Set<TrackedJob>();
  #sequence = 0;
  #newest: number | undefined;
  /** By `Clock.time`, when the last job was queued. */
  #queuedAt = 0;
  /** By `Clock.now`, until when agents of before the start may say that they work on a job. */
  #inheritedUntil = 0;
  #handedOut = 0;

  constructor(options: JobTableOptions, clock: Clock = SYSTEM_CLOCK) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Newest epoch of which a job was queued; 0 before. */
  get newest(): number {
    return this.#newest ?? 0;
  }

  /** First epoch whose jobs are kept; may be negative. */
  get oldestKept(): number {
    return this.newest - this.#options.epochsToKeep;
  }

  get(id: string): TrackedJob | undefined {
    return this.#jobs.get(id);
  }

  has(job: TrackedJob): boolean {
    return this.#jobs.get(job.id) === job;
  }

  /** Adds a job that is being stored, in place of any other with its id. */
  add({ id, type, epochNumber }: Omit<BrokerJob, "inputsUri">): TrackedJob {
    return this.#track({ id, type, epochNumber, sequence: this.#sequence++, failures: 0 });
  }

  /** Adds a job as it was stored, queued if it is not settled. */
  restore(stored: StoredJob, reason: () => Uint8Array): void {
    this.#sequence = Math.max(this.#sequence, stored.sequence + 1);
    const job = this.#track(stored);
    if (stored.settled === undefined) {
      this.queue(job);
      job.inherited = true;
      this.#inheritedUntil = this.#clock.now() + this.#options.jobTimeoutMs;
    } else job.state = stored.settled;
    if (stored.settled === "rejected") job.reason = reason();
  }

  #track({ id, type, epochNumber, sequence, failures }: Omit<StoredJob, "settled">): TrackedJob {
    const replaced = this.#jobs.get(id);
    if (replaced !== undefined) this.#forget(replaced);
    const job: TrackedJob = {
      id,
      type,
      epochNumber,
      sequence,
      failures,
      state: "storing",
      queuedAt: this.#clock.now(),
      lease: undefined,
      holder: undefined,
      inherited: false,
      revoked: undefined,
      reason: undefined,
    };
    this.#jobs.set(id, job);
    return job;
  }

  /** Puts a job at the end of its queue. */
  queue(job: TrackedJob): void {
    this.#release(job);
    job.state = "queued";
    job.queuedAt = this.#clock.now();
    this.#ready.add(job);
    this.#queuedAt = this.#clock.time();
    if (job.epochNumber <= MAX_EPOCH) this.#newest = Math.max(this.newest, job.epochNumber);
  }

  /** Takes the time at which the last job was queued before this start, by `Clock.time`. */
  queuedBefore(time: number): void {
    this.#queuedAt = time;
  }

  /** Whether an epoch cannot have begun, by the newest one of which a job was queued. */
  isFarAhead(epochNumber: number): boolean {
    if (epochNumber > MAX_EPOCH) return true;
    if (this.#newest === undefined) return false;
    const passed = Math.max(0, Math.floor((this.#clock.time() - this.#queuedAt) / MIN_EPOCH_MS));
    return epochNumber > this.#newest + EPOCHS_AHEAD + passed;
  }

  /** Whether the client is the one whose output is taken. After a start, who works on a job is not known at first. */
  isHolder(job: TrackedJob, client: string): boolean {
    return job.holder === client || (job.inherited && this.#clock.now() < this.#inheritedUntil);
  }

  /** Takes the job from its holder, whose attempt has failed. */
  abandon(job: TrackedJob): void {
    job.holder = undefined;
    job.inherited = false;
  }

  /** Leases the next job to an agent. */
  lease(allowed: AllowedTypes, client: string): (TrackedJob & { readonly lease: Lease }) | undefined {
    const job = this.#ready.take((type) => allowed.length === 0 || allowed.includes(type));
    if (job === undefined) return undefined;
    // Unique, so that a heartbeat says which lease it is for even if the clock goes back.
    this.#handedOut = Math.max(this.#handedOut + 1, this.#clock.time());
    return this.#run(job, this.#handedOut, client);
  }

  /**
   * Takes a heartbeat. True if the agent should go on: it has the job, or had it when its lease ran out. Of two agents
   * at one address, or two that had one job before a start, the one that began first goes on.
   */
  renew(job: TrackedJob, startedAt: number, client: string): boolean {
    if (!this.isHolder(job, client)) return false;
    const { lease, revoked } = job;
    if (job.state === "queued") {
      if (revoked !== undefined && startedAt <= revoked) return false;
      this.#ready.remove(job);
      this.#run(job, startedAt, client);
      return true;
    }
    if (lease === undefined || startedAt > lease.startedAt) return false;
    lease.startedAt = startedAt;
    lease.seen = this.#clock.now();
    job.holder = client;
    return true;
  }

  #run(job: TrackedJob, startedAt: number, holder: string | undefined): TrackedJob & { readonly lease: Lease } {
    const now = this.#clock.now();
    const lease: Lease = { startedAt, since: now, seen: now };
    this.#running.add(job);
    return Object.assign(job, { state: "running" as const, lease, holder });
  }

  /** Takes a job from the queue or its agent while its result is stored. Returns a function that puts it back. */
  settling(job: TrackedJob): () => void {
    const { lease } = job;
    this.#release(job);
    job.state = "settling";
    return () => {
      if (!this.has(job)) return;
      if (lease === undefined) this.queue(job);
      else this.#run(job, lease.startedAt, job.holder);
    };
  }

  /** Jobs whose agents are silent or too slow, and why. */
  overdue(): { job: TrackedJob; reason: string }[] {
    const now = this.#clock.now();
    const { jobTimeoutMs, jobLimitMs } = this.#options;
    const overdue: { job: TrackedJob; reason: string }[] = [];
    for (const job of this.#running) {
      const { since, seen, startedAt } = job.lease!;
      if (now - seen >= jobTimeoutMs) {
        overdue.push({ job, reason: `Timed out: no heartbeat for ${jobTimeoutMs} ms` });
      } else if (now - since >= jobLimitMs) {
        job.revoked = startedAt;
        overdue.push({ job, reason: `Timed out: not finished after ${jobLimitMs} ms` });
      }
    }
    return overdue;
  }

  /** Extends all leases: time that passed while this process could not take heartbeats does not count. */
  forgive(ms: number): void {
    for (const { lease } of this.#running) lease!.seen += ms;
  }

  isStale(epochNumber: number): boolean {
    return epochNumber < this.oldestKept;
  }

  /** Forgets the jobs of stale epochs. Returns how many there were. */
  dropStale(): number {
    let dropped = 0;
    for (const job of this.#jobs.values()) {
      if (!this.isStale(job.epochNumber)) continue;
      this.#forget(job);
      dropped++;
    }
    return dropped;
  }

  /** Forgets a job. */
  forget(job: TrackedJob): void {
    if (this.has(job)) this.#forget(job);
  }

  #forget(job: TrackedJob): void {
    this.#release(job);
    this.#jobs.delete(job.id);
  }

  /** Takes a job from the queue and from its agent. */
  #release(job: TrackedJob): void {
    this.#ready.remove(job);
    this.#running.delete(job);
    job.lease = undefined;
  }

  /** Jobs of a type that wait, and that are worked on. */
  counts(type: number): { queued: number; running: number } {
    let running = 0;
    for (const job of this.#running) if (job.type === type) running++;
    return { queued: this.#ready.count(type), running };
  }
}
