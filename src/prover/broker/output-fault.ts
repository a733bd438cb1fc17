import { DecodeError } from "../../protocol/errors.ts";
import { checkedResult } from "../jobs/checked-result.ts";
import { isInlineUri, jsonOfInlineUri } from "../jobs/inline-uri.ts";
import { parseJobId } from "../jobs/job-id.ts";
import type { JobType } from "../jobs/job-type.ts";
import { outputFromJson } from "../jobs/stored-json.ts";
import type { BrokerJob } from "./job.ts";

/**
 * What is wrong with the URI of a job's output, or undefined. Inline outputs are decoded as prover nodes decode them.
 * An output in an object store is not read: its name tells the job that it belongs to. `literal` is a JSON string
 * literal.
 */
export function outputFault({ id, type }: Pick<BrokerJob, "id" | "type">, literal: Uint8Array): string | undefined {
  const uri: string = JSON.parse(Buffer.from(literal).toString());
  if (isInlineUri(uri)) return inlineFault(type as JobType, uri);
  const url = URL.parse(uri);
  if (url === null || !/^(file|https?|s3|gs):$/.test(url.protocol)) return "it is no URI of an inline or stored output";
  const name = decoded(url.pathname.slice(url.pathname.lastIndexOf("/") + 1))?.replace(/\.json$/, "");
  if (name !== undefined && name !== id && parseJobId(name) !== undefined) return `it names job ${name}`;
  return undefined;
}

function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

function inlineFault(type: JobType, uri: string): string | undefined {
  try {
    checkedResult(type, outputFromJson("output", jsonOfInlineUri("output", uri)));
    return undefined;
  } catch (error) {
    if (error instanceof DecodeError) return error.message;
    throw error;
  }
}
