import { equal, word } from "../protocol/bytes.ts";

/**
 * Stored form of a tile, a subtree of `tileHeight` levels whose bottom row is at `baseLevel` of its tree:
 *
 *   presence bitmap of 2^(tileHeight+1) bits, little-endian bytes (one byte at least) | present words x 32, in heap order
 *
 * Bit k stands for heap word k. Word 0 is unused and the root (word 1) is kept in the tile above, so their bits are 0. A word
 * equal to the zero hash of its level is left out.
 */
export type TileRecord = Uint8Array;

/** Bytes of the bitmap in front of the words. */
function bitmapBytes(tileHeight: number): number {
  return Math.max(1, (2 << tileHeight) >> 3);
}

/** Level in the tree of a heap word: the bottom row is the tile's base. */
function wordLevel(node: number, tileHeight: number, baseLevel: number): number {
  return baseLevel + tileHeight - (31 - Math.clz32(node));
}

/**
 * Packs a dense tile of 2^(tileHeight+1) words in heap order (see Core.rehashTiles).
 * @returns the record, or a record of an all-zero bitmap when the tile is empty.
 */
export function packTile(
  tile: Uint8Array,
  tileHeight: number,
  baseLevel: number,
  zeroHashes: readonly Uint8Array[],
): TileRecord {
  const words = 2 << tileHeight;
  if (tile.length !== words * 32) throw new RangeError(`tile must be ${words * 32} bytes, got ${tile.length}`);
  const bitmap = bitmapBytes(tileHeight);
  const record = new Uint8Array(bitmap + (words - 2) * 32);
  let end = bitmap;
  for (let node = 2; node < words; node++) {
    const value = word(tile, node);
    if (equal(value, zeroHashes[wordLevel(node, tileHeight, baseLevel)])) continue;
    record[node >> 3] |= 1 << (node & 7);
    record.set(value, end);
    end += 32;
  }
  return record.slice(0, end);
}

/**
 * The dense tile of a record, zero hashes filled in; of an empty tile when there is no record. Words 0 and 1 (the root) are left
 * zero. Throws a RangeError when the record's length does not agree with its bitmap.
 */
export function unpackTile(
  record: TileRecord | undefined,
  tileHeight: number,
  baseLevel: number,
  zeroHashes: readonly Uint8Array[],
): Uint8Array {
  const words = 2 << tileHeight;
  const tile = new Uint8Array(words * 32);
  let at = bitmapBytes(tileHeight);
  for (let node = 2; node < words; node++) {
    if (record !== undefined && (record[node >> 3] & (1 << (node & 7))) !== 0) {
      if (at + 32 > record.length) break;
      tile.set(record.subarray(at, at + 32), node * 32);
      at += 32;
    } else {
      tile.set(zeroHashes[wordLevel(node, tileHeight, baseLevel)], node * 32);
    }
  }
  if (record !== undefined && at !== record.length) {
    throw new RangeError(`tile record of ${record.length} bytes does not agree with its bitmap`);
  }
  return tile;
}
