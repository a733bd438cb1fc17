import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { txParameter } from "../../world/protocol/v4-txs.ts";

interface JsonError {
  code: number;
  message: string;
  data?: unknown;
}

/** A request about a tx and its answer, in the order of the recording. */
export interface RecordedAnswer {
  method: string;
  params: unknown[];
  httpStatus: number;
  response: { result?: unknown; error?: JsonError };
}

export function recordedAnswers(): RecordedAnswer[] {
  const file = new URL("../../fixtures/rpc/tx-answers.json.gz", import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}

/** The tx of a request; undefined if it has none. */
export function txOf({ params: [first] }: RecordedAnswer): Tx | undefined {
  return typeof first === "object" && first !== null ? txParameter.read(first, [], []) : undefined;
}
