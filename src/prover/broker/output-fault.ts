import { DecodeError } from "../../protocol/errors.ts";
import { checkedResult } from "../circuits/checked-result.ts";
import type { ProofRules } from "../circuits/layouts/proof-data.ts";
import { isInlineUri, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import { type JobType, nameOfJobType } from "../jobs/job-type.ts";
import { outputFromJson } from "../jobs/stored-json.ts";
import type { BrokerJob } from "./job.ts";

/**
 * What is wrong with the URI of a job's output, or undefined. Inline outputs are decoded as prover nodes decode them.
 * An output in an object store is not read: it must have the job's place in the store that has the job's input, which
 * is the only one that the prover node uses. `literal` and what `inputsUri` returns are JSON string literals.
 */
export function outputFault(
  rules: Pick<ProofRules, "circuits">,
  { id, type }: Pick<BrokerJob, "id" | "type">,
  literal: Uint8Array,
  inputsUri: () => Uint8Array,
): string | undefined {
  const uri: string = JSON.parse(Buffer.from(literal).toString());
  if (isInlineUri(uri)) return inlineFault(rules, type as JobType, uri);
  if (!/^(file|https?|s3|gs):/.test(uri)) return "it is no URI of an inline or stored output";
  const input: string = JSON.parse(Buffer.from(inputsUri()).toString());
  const name = nameOfJobType(type as JobType);
  const place = `/inputs/${name}/${id}`;
  if (isInlineUri(input) || !input.endsWith(place)) return "the job's input is in no proof store, so no output can be";
  const expected = `${input.slice(0, -place.length)}/outputs/${name}/${id}.json`;
  return uri === expected ? undefined : "it is not the job's output in the proof store that has its input";
}

function inlineFault(rules: Pick<ProofRules, "circuits">, type: JobType, uri: string): string | undefined {
  try {
    checkedResult(rules, type, outputFromJson("output", jsonOfInlineUri("output", uri)));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
