import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** One recorded call; it has neither `result` nor `error` when the method had no result. */
export interface RecordedCase {
  method: string;
  params: unknown[];
  status: number;
  result?: unknown;
  error?: { code: number; message: string };
}

const FIXTURES = new URL("../../fixtures/", import.meta.url);

/** Answers of the reference over recorded chain A, by method without namespace. */
export function recordedChain(): RecordedCase[] {
  const lines = gunzipSync(readFileSync(new URL("chain-a/golden-v4.jsonl.gz", FIXTURES))).toString();
  return lines
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line, withoutCachedHash) as RecordedCase);
}

/** Refusals of the reference, by full method name. */
export function recordedErrors(): RecordedCase[] {
  return JSON.parse(readFileSync(new URL("rpc/errors.json", FIXTURES), "utf8")) as RecordedCase[];
}

/** Drops a cached hash that the reference adds to some headers; it is not part of the answer's form. */
function withoutCachedHash(this: unknown, key: string, value: unknown): unknown {
  return key === "_cachedHash" ? undefined : value;
}
