import type { JobResult } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";

/** A circuit to prove for an epoch. */
export interface JobRequest {
  readonly epoch: number;
  readonly type: JobType;
  /**
   * Makes the encoded input (see StoredInput), up to 1 MB; always the same bytes. To be called when the runner has room
   * for them, not earlier: hundreds of jobs may be waiting.
   */
  input(): Uint8Array;
}

/** Has jobs proven: by a broker and its agents, or in this process. */
export interface JobRunner {
  /**
   * Resolves with the job's output. Rejects if it cannot be had: when the job was rejected, or `input` threw. Equal
   * jobs may be run at the same time. `signal` ends it: the result is of no use any more.
   */
  run(job: JobRequest, signal: AbortSignal): Promise<JobResult>;
}
