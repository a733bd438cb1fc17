import type { JobState } from "./job.ts";

/** What the broker remembers of a job. Its input and result are in the store. */
export interface TrackedJob {
  readonly id: string;
  readonly type: number;
  readonly epochNumber: number;
  /** Grows with each job; jobs of one epoch are queued in this order after a restart. */
  readonly sequence: number;
  state: JobState;
  /** Since when it waits or waited for an agent, on the clock of `performance.now`. */
  queuedAt: number;
  /** Attempts that failed or ended without a result. */
  failures: number;
  /** Of the agent that works on the job, in state `running`. */
  lease: Lease | undefined;
  /**
   * The client that has the job, or had it when its lease ran out: its output is taken, and no other one. Undefined
   * before the first lease and after a failed attempt.
   */
  holder: string | undefined;
  /** The broker was started again since the job was queued, and does not know who works on it. */
  inherited: boolean;
  /** `startedAt` of the last lease that lasted too long: heartbeats with it or an earlier one renew nothing. */
  revoked: number | undefined;
  /** JSON literal of why the job failed, in state `rejected`. */
  reason: Uint8Array | undefined;
}

export interface Lease {
  /** As handed out to the agent, or as an agent said that worked on the job before it was known to be running. */
  startedAt: number;
  /** When the lease began and when its last heartbeat came, on the clock of `performance.now`. */
  readonly since: number;
  seen: number;
}
