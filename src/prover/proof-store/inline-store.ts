import { InlineInput, inlineUriOf, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import type { JobResult, StoredInput, StoredOutput } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";
import { inputFromJson, outputFromJson, outputJson } from "../jobs/stored-json.ts";
import type { AgentProofStore, ProducerProofStore } from "./proof-store.ts";

/** Puts inputs and outputs into the URIs themselves. */
export class InlineStore implements AgentProofStore, ProducerProofStore {
  async saveInput(_jobId: string, type: JobType, input: Uint8Array): Promise<InlineInput> {
    return new InlineInput(type, input);
  }

  async loadInput(uri: string): Promise<StoredInput> {
    return inputFromJson("inputsUri", jsonOfInlineUri("inputsUri", uri));
  }

  async saveOutput(_jobId: string, type: JobType, result: JobResult): Promise<string> {
    return inlineUriOf(outputJson(type, result));
  }

  async loadOutput(uri: string): Promise<StoredOutput> {
    return outputFromJson("output", jsonOfInlineUri("output", uri));
  }
}
