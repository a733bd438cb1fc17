import { parseJobId } from "../jobs/job-id.ts";
import { JOB_TYPES } from "../jobs/job-type.ts";
import type { BrokerJob } from "./job.ts";

/** In front of the percent-encoded JSON of an inline output (docs/protocol/13-proving.md#134-proof-stores). */
const INLINE = "data:application/json;charset=utf-8,";

/** Bytes of the public inputs of each type (docs/protocol/13-proving.md#131-jobs). PUBLIC_VM has none. */
const PUBLIC_INPUT_BYTES = [
  ...[0, 82_753, 1114, 1114, 1114],
  ...[1270, 1270, 1270, 1270, 1270, 1270],
  ...[3568, 3568, 3568, 3568, 3136, 96, 96],
];

/**
 * What is wrong with the URI of a job's output, or undefined. Finds texts that no prover node could read and outputs of
 * other types and jobs. An output in an object store is not read: its name tells the job that it belongs to. `literal`
 * is a JSON string literal.
 */
export function outputFault({ id, type }: Pick<BrokerJob, "id" | "type">, literal: Uint8Array): string | undefined {
  const uri: string = JSON.parse(Buffer.from(literal).toString());
  if (uri.startsWith(INLINE)) return inlineFault(type, uri.slice(INLINE.length));
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

function inlineFault(type: number, encoded: string): string | undefined {
  let output: unknown;
  try {
    output = JSON.parse(decodeURIComponent(encoded));
  } catch {
    return "it is no percent-encoded JSON";
  }
  if (!isRecord(output)) return "it is no object";
  if (output.type !== type) return `it is of type ${JSON.stringify(output.type)?.slice(0, 20)}, not ${type}`;
  const { result } = output;
  if (type === JOB_TYPES.PUBLIC_VM) return typeof result === "string" ? undefined : "result: must be base64";
  if (!isRecord(result)) return "result: must be an object";
  for (const member of ["inputs", "proof", "verificationKey"]) {
    if (typeof result[member] !== "string") return `result.${member}: must be base64`;
  }
  const bytes = Buffer.byteLength(result.inputs as string, "base64");
  const expected = PUBLIC_INPUT_BYTES[type];
  return bytes === expected ? undefined : `result.inputs: has ${bytes} bytes, type ${type} has ${expected}`;
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
