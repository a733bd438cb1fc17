import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex } from "../../../src/protocol/bytes.ts";

function fixture(name: string): string {
  return gunzipSync(readFileSync(new URL(`../../fixtures/p2p/${name}`, import.meta.url))).toString("utf8");
}

/** An exchange with a reference node. */
export interface RecordedExchange {
  protocol: string;
  request: Uint8Array;
  /** The muxer frames of the answer; none if the peer disconnected or does not answer. */
  chunks: Uint8Array[];
  status: number;
}

export const recordedExchanges: RecordedExchange[] = fixture("reqresp.jsonl.gz")
  .trim()
  .split("\n")
  .map((line) => {
    const { protocol, request, chunks, status } = JSON.parse(line);
    return { protocol, request: fromHex(request), chunks: chunks.map(fromHex), status };
  });

export const requestVectors = JSON.parse(fixture("vectors.json.gz")).reqresp;
