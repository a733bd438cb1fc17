/**
 * Why a job has no output: an agent or the broker rejected it (`rejected`), the broker does not take it (`refused`), or
 * the output cannot be had or read (`output`).
 */
type JobFailure = "rejected" | "refused" | "output";

/** A proving job ended without an output, after all attempts. */
export class JobFailedError extends Error {
  readonly jobId: string;
  readonly failure: JobFailure;
  /** One clause. */
  readonly reason: string;

  constructor(jobId: string, failure: JobFailure, reason: string, options?: ErrorOptions) {
    super(`proving job ${jobId} failed: ${reason}`, options);
    this.name = "JobFailedError";
    this.jobId = jobId;
    this.failure = failure;
    this.reason = reason;
  }
}

/** The producer was stopped, or the caller gave the job up. */
export class JobAbandonedError extends Error {
  readonly jobId: string;

  constructor(jobId: string) {
    super(`proving job ${jobId} was given up`);
    this.name = "JobAbandonedError";
    this.jobId = jobId;
  }
}
