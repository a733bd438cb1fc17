import { concat } from "../../../protocol/bytes.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";
import { readTxs, type WireTx } from "../../../protocol/consensus/wire-txs.ts";
import type { TransactionRules } from "../../../protocol/generations/transactions.ts";
import { BitVector } from "./bit-vector.ts";
import { encodeHashes, encodeTxs, readHashes, txsRoom } from "./tx-list.ts";

/** Asks for transactions of a block (docs/protocol/10-peers.md#1014-sub-protocols). */
interface BlockTxsRequest {
  /** Archive root after the block, 32 bytes. */
  archive: Uint8Array;
  /** For a peer that does not know the block; may be empty. */
  hashes: Uint8Array[];
  /** Wanted transactions, by their index in the block. */
  wanted: BitVector;
}

export interface BlockTxsResponse<Tx = WireTx> {
  /** Zero if the peer does not know the block. */
  archive: Uint8Array;
  txs: Tx[];
  /** Which of the block's transactions the peer has; of length 0 if it does not know the block. */
  available: BitVector;
}

/** Throws a DecodeError. */
export function decodeBlockTxsRequest(bytes: Uint8Array): BlockTxsRequest {
  const reader = new WireReader(bytes, "block txs request");
  return {
    archive: reader.fields(1, "archive root"),
    hashes: readHashes(reader),
    wanted: BitVector.read(reader),
  };
}

export function encodeBlockTxsRequest({ archive, hashes, wanted }: BlockTxsRequest): Uint8Array {
  return concat(archive, encodeHashes(hashes), wanted.encode());
}

/** Throws a DecodeError. */
export function decodeBlockTxsResponse(bytes: Uint8Array, { proofFields }: TransactionRules): BlockTxsResponse {
  const reader = new WireReader(bytes, "block txs response");
  return {
    archive: reader.fields(1, "archive root"),
    txs: readTxs(reader, bytes, { proofFields }),
    available: BitVector.read(reader),
  };
}

/** From binary forms of transactions. */
export function encodeBlockTxsResponse({ archive, txs, available }: BlockTxsResponse<Uint8Array>): Uint8Array {
  return concat(archive, encodeTxs(txs), available.encode());
}

export function blockTxsAnswerLimit(request: Uint8Array): number {
  return txsRoom(decodeBlockTxsRequest(request).wanted.count());
}
