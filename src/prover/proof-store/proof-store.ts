import type { InputUri } from "../jobs/inline-uri.ts";
import type { JobResult, StoredInput, StoredOutput } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";

/** The agent's side of a proof store, which has the inputs and outputs of jobs. */
export interface AgentProofStore {
  /** Throws a DecodeError for content that breaks a rule, a ProofStoreError or ObjectStoreError if it cannot be had. */
  loadInput(uri: string, signal: AbortSignal): Promise<StoredInput>;
  /** Returns the URI for the broker. Throws an ObjectStoreError. */
  saveOutput(jobId: string, type: JobType, result: JobResult, signal: AbortSignal): Promise<string>;
}

/** The prover node's side of a proof store. */
export interface ProducerProofStore {
  /** `input` is the encoded input. Returns the URI for the broker. Throws an ObjectStoreError. */
  saveInput(jobId: string, type: JobType, input: Uint8Array, signal: AbortSignal): Promise<InputUri>;
  /** Throws a DecodeError for content that breaks a rule, a ProofStoreError or ObjectStoreError if it cannot be had. */
  loadOutput(uri: string, signal: AbortSignal): Promise<StoredOutput>;
  /** Called when a job will not be fetched; for stores that hold an input only for as long as its job. */
  discard?(jobId: string): void;
}
