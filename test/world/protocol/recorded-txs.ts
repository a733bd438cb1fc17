import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { HashedTx } from "../../../src/execution/executed-tx.ts";
import { fromHex } from "../../../src/protocol/bytes.ts";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import { emptyProof, type Tx } from "../../../src/protocol/tx/tx.ts";
import { releaseTx } from "../../../src/rpc/codecs/shared/tx.ts";
import { txParameter } from "./v4-txs.ts";

export interface RecordedTx {
  hash: Uint8Array;
  tx: Tx;
  /** The wallet's JSON. */
  json: Record<string, unknown> & { txHash: string };
  /** The answer of the node in the recording. */
  response: { error?: { code: number; message: string } };
}

function linesOf(path: string): string[] {
  const file = new URL(`../../fixtures/${path}`, import.meta.url);
  return gunzipSync(readFileSync(file)).toString("utf8").trim().split("\n");
}

/** The transactions of the recorded chain as wallets sent them, in order. */
export function recordedTxs(): RecordedTx[] {
  return linesOf("chain-a/sent-txs.jsonl.gz").map((line) => {
    const { tx: json, response } = JSON.parse(line);
    return { hash: fromHex(json.txHash), tx: txParameter.read(json, [], []), json, response };
  });
}

/** Those of the recorded v5 chain, without their proofs. */
export function recordedV5Txs(): HashedTx[] {
  const chonkProof = Buffer.from(emptyProof(V5.transactions.proofFields)).toString("base64");
  const v5Parameter = releaseTx(V5.transactions);
  return linesOf("v5/chain/sent-txs.jsonl.gz").map((line) => {
    const { tx: json } = JSON.parse(line);
    return { hash: fromHex(json.txHash), tx: v5Parameter.read({ ...json, chonkProof }, [], []) };
  });
}
