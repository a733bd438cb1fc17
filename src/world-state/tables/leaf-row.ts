import { readU32, writeU32, writeUint } from "../../protocol/bytes.ts";
import { PUBLIC_DATA_TREE, type TreeId } from "../../protocol/constants.ts";

import { readPosition } from "./row-keys.ts";
import { copyWord } from "./word-copies.ts";

/** A leaf of the nullifier or public data tree as of some block. Keys and values are 32-byte words. */
export interface IndexedLeaf {
  index: number;
  key: Uint8Array;
  /** Public data tree only. */
  value?: Uint8Array;
  nextKey: Uint8Array;
  nextIndex: number;
}

/**
 * An indexed leaf as stored. `lowBefore` and `nextBefore` are its neighbours in the sorted list before the block that
 * inserted it. They never change: every leaf between it and them came with that block or a later one. So an older
 * state, which does not hold the leaf, finds its nearest keys by following these neighbours, each of which is of an
 * earlier block. Every state holds the leaves of genesis, where both are 0 and never followed.
 */
export interface StoredLeaf extends IndexedLeaf {
  /** Index of the low leaf before that block. */
  lowBefore: number;
  /** Index of the next leaf before that block; 0, as in `nextIndex`, at the end of the list. */
  nextBefore: number;
  /** The block that wrote the value (public data only). */
  since?: number;
}

const LEAF_BYTES = 56;
const SLOT_BYTES = 92;

/** Offsets in a row of `keys`. */
export const LEAF_ROW = {
  index: 0,
  nextIndex: 6,
  nextKey: 12,
  lowBefore: 44,
  nextBefore: 50,
  since: 56,
  value: 60,
} as const;

/** Bytes of a row of `keys`. */
export function leafRowBytes(tree: TreeId): number {
  return tree === PUBLIC_DATA_TREE ? SLOT_BYTES : LEAF_BYTES;
}

/** A leaf's row, written to the start of `out`. */
export function leafBytes(
  leaf: StoredLeaf,
  out = new Uint8Array(leaf.value === undefined ? LEAF_BYTES : SLOT_BYTES),
): Uint8Array {
  writeUint(out, LEAF_ROW.index, 6, leaf.index);
  writeUint(out, LEAF_ROW.nextIndex, 6, leaf.nextIndex);
  out.set(leaf.nextKey, LEAF_ROW.nextKey);
  writeUint(out, LEAF_ROW.lowBefore, 6, leaf.lowBefore);
  writeUint(out, LEAF_ROW.nextBefore, 6, leaf.nextBefore);
  if (leaf.value !== undefined) {
    writeU32(out, LEAF_ROW.since, leaf.since ?? 0);
    out.set(leaf.value, LEAF_ROW.value);
  }
  return out;
}

/** The leaf of a row; its words are views of the row. */
export function readLeaf(key: Uint8Array, row: Uint8Array): StoredLeaf {
  return leafWith(key, row, wordIn);
}

/** As readLeaf, with copies of the words: for rows in borrowed memory. */
export function copyLeaf(key: Uint8Array, row: Uint8Array): StoredLeaf {
  return leafWith(key, row, copyWord);
}

function wordIn(row: Uint8Array, at: number): Uint8Array {
  return row.subarray(at, at + 32);
}

function leafWith(key: Uint8Array, row: Uint8Array, wordAt: typeof wordIn): StoredLeaf {
  const leaf: StoredLeaf = {
    index: readLeafIndex(row),
    key,
    nextKey: wordAt(row, LEAF_ROW.nextKey),
    nextIndex: readNextIndex(row),
    lowBefore: readLowBefore(row),
    nextBefore: readNextBefore(row),
  };
  if (row.length > LEAF_BYTES) {
    leaf.since = readSince(row);
    leaf.value = wordAt(row, LEAF_ROW.value);
  }
  return leaf;
}

export function readLeafIndex(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.index);
}

export function readNextIndex(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.nextIndex);
}

export function readLowBefore(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.lowBefore);
}

export function readNextBefore(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.nextBefore);
}

/** The block that wrote a slot's value; 0 in a row without one. */
export function readSince(row: Uint8Array): number {
  return row.length > LEAF_BYTES ? readU32(row, LEAF_ROW.since) : 0;
}
