import { BitVector } from "../codecs/bit-vector.ts";
import { decodeBlockTxsRequest, encodeBlockTxsResponse } from "../codecs/block-txs-message.ts";
import { NOT_FOUND, type RequestHandler, success } from "../request-handler.ts";
import { gatherTxs, type ServedTxs } from "./served-txs.ts";

/** Which transactions a block has: a proposed one, or one of the chain. */
export interface BlockTxHashes {
  /** Hashes in the block's order, by the archive root after the block. */
  txHashesOf(archive: Uint8Array): readonly Uint8Array[] | undefined;
}

const UNKNOWN_ARCHIVE = new Uint8Array(32);

/**
 * For a known block, says which of its transactions are there and sends the wanted ones; hashes in the request count
 * only when the block is unknown.
 */
export function blockTxsHandler(txs: ServedTxs, blocks: BlockTxHashes): RequestHandler {
  return ({ bytes, room }) => {
    const { archive, hashes, wanted } = decodeBlockTxsRequest(bytes);
    const ofBlock = blocks.txHashesOf(archive);
    if (ofBlock !== undefined) {
      const there = ofBlock.flatMap((hash, index) => (txs.hasTx(hash) ? [index] : []));
      const found = gatherTxs(
        txs,
        ofBlock.filter((_, index) => wanted.has(index)),
        room,
      );
      const available = BitVector.of(ofBlock.length, there);
      return success(encodeBlockTxsResponse({ archive, txs: found, available }));
    }
    if (hashes.length === 0) return NOT_FOUND;
    const found = gatherTxs(txs, hashes, room);
    return success(encodeBlockTxsResponse({ archive: UNKNOWN_ARCHIVE, txs: found, available: BitVector.of(0, []) }));
  };
}
