import { inlineUriOf, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import type { JobResult, StoredInput } from "../jobs/job-result.ts";
import type { JobType } from "../jobs/job-type.ts";
import { inputFromJson, outputJson } from "../jobs/stored-json.ts";
import type { AgentProofStore } from "./proof-store.ts";

/** Puts inputs and outputs into the URIs themselves. */
export class InlineStore implements AgentProofStore {
  async loadInput(uri: string): Promise<StoredInput> {
    return inputFromJson("inputsUri", jsonOfInlineUri("inputsUri", uri));
  }

  async saveOutput(_jobId: string, type: JobType, result: JobResult): Promise<string> {
    return inlineUriOf(outputJson(type, result));
  }
}
