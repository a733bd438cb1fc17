import type { Tx } from "../tx/tx.ts";
import { type ClaimedTx, txFromBytes } from "../tx/tx-bytes.ts";
import type { WireReader } from "./wire-reader.ts";

/** A tx of a message, as views of its bytes. The hash is claimed. */
export interface WireTx {
  hash: Uint8Array;
  tx: Tx;
  /** Its binary form (tx-bytes.ts). */
  encoded: Uint8Array;
}

interface TxsRules {
  most?: number;
  /** Fields of a tx's proof. */
  proofFields: number;
}

/** Reads `u32 n, n x tx` at the reader's place in `message`. Throws a DecodeError. */
export function readTxs(reader: WireReader, message: Uint8Array, rules: TxsRules): WireTx[] {
  const { most = Number.POSITIVE_INFINITY, proofFields } = rules;
  const count = reader.u32("count of txs");
  if (count > most) reader.fail(`txs must be at most ${most}, got ${count}`);
  const txs: WireTx[] = [];
  for (let i = 0; i < count; i++) {
    const { hash, tx, next } = claimedTx(reader, message, i, proofFields);
    txs.push({ hash, tx, encoded: reader.take(next - reader.at, "tx") });
  }
  return txs;
}

function claimedTx(reader: WireReader, message: Uint8Array, index: number, proofFields: number): ClaimedTx {
  try {
    return txFromBytes(message, reader.at, proofFields);
  } catch (error) {
    return reader.fail(`tx ${index}: ${error instanceof Error ? error.message : String(error)}`);
  }
}
