import { MAX_TX_BYTES } from "../../../mempool/validation/checks/size.ts";
import { concat, u32Bytes } from "../../../protocol/bytes.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";
import { readTxs, type WireTx } from "../../../protocol/consensus/wire-txs.ts";
import { DecodeError } from "../../../protocol/errors.ts";
import type { TransactionRules } from "../../../protocol/generations/transactions.ts";
import { items } from "../../../protocol/tx-effect.ts";

/** For what an answer has besides transactions. */
const ROOM_BESIDES_TXS = 1024;

/** Limit of an answer with `count` transactions. */
export function txsRoom(count: number): number {
  return count * MAX_TX_BYTES + ROOM_BESIDES_TXS;
}

/** u32 count, then 32 bytes each. Throws a DecodeError; bytes after the list are ignored. */
export function readHashes(reader: WireReader): Uint8Array[] {
  const run = reader.fields(reader.u32("count of tx hashes"), "tx hashes");
  return items(run);
}

export function encodeHashes(hashes: readonly Uint8Array[]): Uint8Array {
  return concat(u32Bytes(hashes.length), ...hashes);
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

/** Throws a DecodeError. */
export function decodeTxs(bytes: Uint8Array, { proofFields }: TransactionRules): WireTx[] {
  return readTxs(new WireReader(bytes, "list of txs"), bytes, { proofFields });
}

/** From binary forms. */
export function encodeTxs(txs: readonly Uint8Array[]): Uint8Array {
  return concat(u32Bytes(txs.length), ...txs);
}
