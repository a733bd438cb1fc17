import type { JobResult, StoredInput } from "../jobs/job-result.ts";

/** Proves jobs, or simulates it. */
export interface Prover {
  /**
   * Throws a DecodeError or ConstraintError for an input that cannot be proven, and a ProvingError for a failure of the
   * prover itself. `signal` ends it early; then it may throw anything.
   */
  prove(job: StoredInput, signal: AbortSignal): Promise<JobResult>;
}

/** The prover failed, for another reason than the job's input. */
export class ProvingError extends Error {
  /** Whether another attempt may succeed. */
  readonly retry: boolean;

  constructor(message: string, retry: boolean, options?: ErrorOptions) {
    super(message, options);
    this.name = "ProvingError";
    this.retry = retry;
  }
}
