/**
 * Stored form of a tile, a subtree of `tileHeight` levels whose bottom row is at `baseLevel` of its tree:
 *
 *   presence bitmap of 2^(tileHeight+1) bits, little-endian bytes (one byte at least)
 *   present words x 32, in heap order
 *
 * Bit k stands for heap word k. Word 0 is unused and the root (word 1) is kept in the tile above, so their bits are 0.
 * A word equal to the zero hash of its level is left out.
 *
 * An old version may be a partial record: bit 0 is set, and the words are those that the version after it replaced,
 * zero hashes included. Whatever it leaves out is as in that version.
 */
type TileRecord = Uint8Array;

/** Bytes of the bitmap that precedes the words. */
function bitmapBytes(tileHeight: number): number {
  return Math.max(1, (2 << tileHeight) >> 3);
}

/** Tree level of a heap word; the bottom row is at `baseLevel`. */
function wordLevel(node: number, tileHeight: number, baseLevel: number): number {
  return baseLevel + tileHeight - (31 - Math.clz32(node));
}

/** Whether the 32 bytes at `at` equal `value`. */
function holds(tile: Uint8Array, at: number, value: Uint8Array): boolean {
  for (let i = 0; i < 32; i++) if (tile[at + i] !== value[i]) return false;
  return true;
}

/**
 * Packs a dense tile of 2^(tileHeight+1) words in heap order (see Core.rehashTiles). The record of an empty tile is its
 * all-zero bitmap. Throws a RangeError when the tile has another length.
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
    if (holds(tile, node * 32, zeroHashes[wordLevel(node, tileHeight, baseLevel)])) continue;
    record[node >> 3] |= 1 << (node & 7);
    for (let i = 0; i < 32; i++) record[end + i] = tile[node * 32 + i];
    end += 32;
  }
  return record.slice(0, end);
}

/** Length of a record in bytes, from its bitmap. */
function recordBytes(record: TileRecord, bitmap: number): number {
  let present = 0;
  for (let i = 0; i < bitmap; i++) {
    for (let bits = record[i]; bits !== 0; bits &= bits - 1) present++;
  }
  return bitmap + present * 32;
}

/**
 * The dense tile of a record with zero hashes filled in; without a record, the empty tile. Words 0 and 1 (the root)
 * stay zero. Throws a RangeError if the record's length does not match its bitmap.
 */
export function unpackTile(
  record: TileRecord | undefined,
  tileHeight: number,
  baseLevel: number,
  zeroHashes: readonly Uint8Array[],
): Uint8Array {
  const words = 2 << tileHeight;
  const bitmap = bitmapBytes(tileHeight);
  if (record !== undefined && record.length !== recordBytes(record, bitmap)) {
    throw new RangeError(`tile record of ${record.length} bytes does not agree with its bitmap`);
  }
  const tile = new Uint8Array(words * 32);
  let at = bitmap;
  for (let node = 2; node < words; node++) {
    if (record !== undefined && (record[node >> 3] & (1 << (node & 7))) !== 0) {
      tile.set(record.subarray(at, at + 32), node * 32);
      at += 32;
    } else {
      tile.set(zeroHashes[wordLevel(node, tileHeight, baseLevel)], node * 32);
    }
  }
  return tile;
}

export function isPartial(record: TileRecord): boolean {
  return (record[0] & 1) !== 0;
}

/** Shape of a tile, and what words of empty subtrees hold. */
interface TileShape {
  height: number;
  baseLevel: number;
  zeroHashes: readonly Uint8Array[];
}

/**
 * Rebuilds a version's whole record from its partial record, those of the later versions and the next whole record,
 * oldest first. The result may contain zero hashes.
 */
export function completeRecord(records: TileRecord[], tileHeight: number): TileRecord {
  const merged = new Uint8Array(bitmapBytes(tileHeight) + ((2 << tileHeight) - 2) * 32);
  return merged.slice(0, mergeRecords(records, tileHeight, merged, 0));
}

/** As completeRecord, in stored form, written to `out` from `at` on. Returns the length. */
export function wholeRecord(records: TileRecord[], shape: TileShape, out: Uint8Array, at: number): number {
  out.fill(0, at, at + bitmapBytes(shape.height));
  return mergeRecords(records, shape.height, out, at, shape);
}

/** Merges records into `out`, whose bitmap must be zero; with `shape`, leaves out the zero hashes. */
function mergeRecords(
  records: TileRecord[],
  tileHeight: number,
  out: Uint8Array,
  at: number,
  shape?: TileShape,
): number {
  const words = 2 << tileHeight;
  const bitmap = bitmapBytes(tileHeight);
  const next = records.map(() => bitmap);
  let end = at + bitmap;
  for (let node = 2; node < words; node++) {
    let source = -1;
    for (let r = 0; r < records.length; r++) {
      if ((records[r][node >> 3] & (1 << (node & 7))) === 0) continue;
      if (source < 0) source = r;
      next[r] += 32;
    }
    if (source < 0) continue;
    const record = records[source];
    const from = next[source] - 32;
    if (shape !== undefined && holds(record, from, shape.zeroHashes[wordLevel(node, tileHeight, shape.baseLevel)])) {
      continue;
    }
    out[at + (node >> 3)] |= 1 << (node & 7);
    for (let i = 0; i < 32; i++) out[end + i] = record[from + i];
    end += 32;
  }
  return end - at;
}
