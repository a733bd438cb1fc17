import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { fromHex } from "../../../src/protocol/bytes.ts";
import type { Tx } from "../../../src/protocol/tx/tx.ts";
import { txParameter } from "./v4-txs.ts";

export interface RecordedTx {
  hash: Uint8Array;
  tx: Tx;
  /** The wallet's JSON. */
  json: Record<string, unknown> & { txHash: string };
  /** The answer of the node in the recording. */
  response: { error?: { code: number; message: string } };
}

/** The transactions of the recorded chain as wallets sent them, in order. */
export function recordedTxs(): RecordedTx[] {
  const file = new URL("../../fixtures/chain-a/sent-txs.jsonl.gz", import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
  return lines.map((line) => {
    const { tx: json, response } = JSON.parse(line);
    return { hash: fromHex(json.txHash), tx: txParameter.read(json, [], []), json, response };
  });
}
