import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { generationNamed } from "../protocol/generations/known/choose.ts";
import type { Tx } from "../protocol/tx/tx.ts";
import { txFromBytes } from "../protocol/tx/tx-bytes.ts";

/** This file is in src/recorded-txs/ of the package as source, and in build/src/recorded-txs/ when compiled. */
const DATA = import.meta.url.endsWith(".ts") ? "../../data/" : "../../../data/";

/** The first: the data name no generation. */
export const RECORDED_ON = generationNamed(undefined);

/**
 * Transactions of the generation RECORDED_ON in a file of the package's `data` folder (data/README.md), in order and
 * without proofs.
 */
export function recordedTxs(file: string): Tx[] {
  const bytes = new Uint8Array(gunzipSync(readFileSync(new URL(`${DATA}${file}`, import.meta.url))));
  const txs: Tx[] = [];
  for (let at = 0; at < bytes.length; ) {
    const { tx, next } = txFromBytes(bytes, at, RECORDED_ON.transactions.proofFields);
    txs.push(tx);
    at = next;
  }
  return txs;
}
