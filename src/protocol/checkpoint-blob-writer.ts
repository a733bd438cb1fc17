import { type BlockHeader, HEADER_AT, headerBlockNumber, headerSnapshot } from "./block-header.ts";
import { bigUintBytes, concat, readUint, writeU32, writeUint } from "./bytes.ts";
import { BLOCK_END_PREFIX, CHECKPOINT_END_PREFIX } from "./checkpoint-blob.ts";
import {
  ARCHIVE,
  BYTES_PER_BLOB,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
} from "./constants.ts";

/** The parts of a block that the blobs contain. */
export interface BlockContents {
  header: BlockHeader;
  /** The words of its txs, back to back. */
  body: Uint8Array;
  txCount: number;
}

/**
 * The words of one block in the blobs (docs/protocol/03-blocks-and-blobs.md#311-grammar and
 * docs/protocol/03-blocks-and-blobs.md#312-marker-words). The first block of a checkpoint has one more root.
 */
export function blockWords({ header, body, txCount }: BlockContents, isFirst: boolean): Uint8Array {
  const end = new Uint8Array(32);
  writeU32(end, 14, BLOCK_END_PREFIX);
  end.set(header.subarray(HEADER_AT.timestamp, HEADER_AT.timestamp + 8), 18);
  writeU32(end, 26, headerBlockNumber(header));
  writeUint(end, 30, 2, txCount);
  const size = (tree: Parameters<typeof headerSnapshot>[1]) => BigInt(headerSnapshot(header, tree).size);
  const root = (tree: Parameters<typeof headerSnapshot>[1]) => headerSnapshot(header, tree).root;
  const state =
    (size(L1_TO_L2_MESSAGE_TREE) << 172n) |
    (size(NOTE_HASH_TREE) << 130n) |
    (size(NULLIFIER_TREE) << 88n) |
    (size(PUBLIC_DATA_TREE) << 48n) |
    BigInt(readUint(header, HEADER_AT.totalManaUsed + 26, 6));
  const roots = [ARCHIVE, NOTE_HASH_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE] as const;
  return concat(
    body,
    end,
    bigUintBytes(state, 32),
    ...roots.map(root),
    ...(isFirst ? [root(L1_TO_L2_MESSAGE_TREE)] : []),
  );
}

/** The concatenated blobs of a checkpoint, the last one padded with zeros. Inverse of readCheckpointBlobs. */
export function writeCheckpointBlobs(blocks: readonly BlockContents[]): Uint8Array {
  const words = blocks.map((block, i) => blockWords(block, i === 0));
  const length = words.reduce((sum, { length }) => sum + length, 32);
  const blobs = new Uint8Array(Math.ceil(length / BYTES_PER_BLOB) * BYTES_PER_BLOB);
  let at = 0;
  for (const part of words) {
    blobs.set(part, at);
    at += part.length;
  }
  writeU32(blobs, at + 24, CHECKPOINT_END_PREFIX);
  writeU32(blobs, at + 28, length / 32);
  return blobs;
}
