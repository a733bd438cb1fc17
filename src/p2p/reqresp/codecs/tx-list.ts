import { concat, writeU32 } from "../../../protocol/bytes.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";
import { DecodeError } from "../../../protocol/errors.ts";
import { type ClaimedTx, txFromBytes } from "../../../protocol/tx/tx-bytes.ts";

/** Largest transaction that peers accept. */
export const MAX_TX_BYTES = 512 * 1024;
/** For what an answer has besides transactions. */
const ROOM_BESIDES_TXS = 1024;

/** A transaction of an answer, as views of its bytes. The hash is claimed. */
export interface ReceivedTx {
  hash: Uint8Array;
  tx: ClaimedTx["tx"];
  /** Its binary form (src/protocol/tx/tx-bytes.ts). */
  encoded: Uint8Array;
}

/** Limit of an answer with `count` transactions. */
export function txsRoom(count: number): number {
  return count * MAX_TX_BYTES + ROOM_BESIDES_TXS;
}

/** u32 count, then 32 bytes each. Throws a DecodeError; bytes after the list are ignored. */
export function readHashes(reader: WireReader): Uint8Array[] {
  const run = reader.fields(reader.u32("count of tx hashes"), "tx hashes");
  return Array.from({ length: run.length / 32 }, (_, i) => run.subarray(i * 32, i * 32 + 32));
}

export function encodeHashes(hashes: readonly Uint8Array[]): Uint8Array {
  return concat(u32(hashes.length), ...hashes);
}

/** The hashes of a request for txs. A malformed request asks for none: the reference answers it with an empty list. */
export function decodeTxRequest(bytes: Uint8Array): Uint8Array[] {
  try {
    return readHashes(new WireReader(bytes, "tx request"));
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

export function txsAnswerLimit(request: Uint8Array): number {
  return txsRoom(Math.max(decodeTxRequest(request).length, 1));
}

/** u32 count, then the transactions one after the other. Throws a DecodeError. */
export function readTxs(reader: WireReader, message: Uint8Array): ReceivedTx[] {
  const count = reader.u32("count of txs");
  const txs: ReceivedTx[] = [];
  for (let i = 0; i < count; i++) {
    const start = reader.at;
    const { hash, tx, next } = claimedTx(reader, message, i);
    txs.push({ hash, tx, encoded: reader.take(next - start, "tx") });
  }
  return txs;
}

/** Throws a DecodeError. */
export function decodeTxs(bytes: Uint8Array): ReceivedTx[] {
  const reader = new WireReader(bytes, "list of txs");
  return readTxs(reader, bytes);
}

/** From binary forms. */
export function encodeTxs(txs: readonly Uint8Array[]): Uint8Array {
  return concat(u32(txs.length), ...txs);
}

function claimedTx(reader: WireReader, message: Uint8Array, index: number): ClaimedTx {
  try {
    return txFromBytes(message, reader.at);
  } catch (error) {
    return reader.fail(`tx ${index}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function u32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  writeU32(bytes, 0, value);
  return bytes;
}
