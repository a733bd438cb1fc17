import { isInlineUri, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import type { JobResult, StoredInput, StoredOutput } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";
import { outputFromJson } from "../jobs/stored-json.ts";
import { ProofStoreError } from "./errors.ts";
import type { AgentProofStore, ProducerProofStore } from "./proof-store.ts";

/** Of URIs that mean nothing outside of this process. */
const SCHEME = "memory:";

/**
 * Holds inputs and outputs for a producer and agents in one process, as the bytes that they are. Agents elsewhere send
 * outputs as inline URIs.
 */
export class MemoryStore implements AgentProofStore, ProducerProofStore {
  readonly #inputs = new Map<string, StoredInput>();
  readonly #outputs = new Map<string, StoredOutput>();

  async saveInput(jobId: string, type: JobType, input: Uint8Array): Promise<string> {
    this.#inputs.set(jobId, { type, input });
    return SCHEME + jobId;
  }

  async loadInput(uri: string): Promise<StoredInput> {
    return found("input", this.#inputs.get(idOf(uri)));
  }

  async saveOutput(jobId: string, type: JobType, result: JobResult): Promise<string> {
    this.#outputs.set(jobId, { type, result });
    return SCHEME + jobId;
  }

  /** An output can be loaded once: afterwards the producer has it. */
  async loadOutput(uri: string): Promise<StoredOutput> {
    if (isInlineUri(uri)) return outputFromJson("output", jsonOfInlineUri("output", uri));
    const id = idOf(uri);
    const output = found("output", this.#outputs.get(id));
    this.discard(id);
    return output;
  }

  /** Whether the output can still be loaded. */
  hasOutput(uri: string): boolean {
    return isInlineUri(uri) || this.#outputs.has(idOf(uri));
  }

  /** Whether it is the URI of an output that an agent of this process has saved for a job. */
  isOutputOf(jobId: string, uri: string): boolean {
    return uri === SCHEME + jobId && this.#outputs.has(jobId);
  }

  discard(jobId: string): void {
    this.#inputs.delete(jobId);
    this.#outputs.delete(jobId);
  }
}

function idOf(uri: string): string {
  return uri.slice(SCHEME.length);
}

function found<T>(what: string, value: T | undefined): T {
  if (value === undefined) throw new ProofStoreError(`the ${what} is no longer in memory`);
  return value;
}
