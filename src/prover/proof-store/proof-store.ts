import type { JobResult, StoredInput } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";

/** Where the inputs and outputs of jobs are, beside the broker. */
export interface AgentProofStore {
  /** Throws a DecodeError for content that breaks a rule, a ProofStoreError or ObjectStoreError if it cannot be had. */
  loadInput(uri: string, signal: AbortSignal): Promise<StoredInput>;
  /** Returns the URI for the broker. Throws an ObjectStoreError. */
  saveOutput(jobId: string, type: JobType, result: JobResult, signal: AbortSignal): Promise<string>;
}
