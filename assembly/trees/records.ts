/** Bits that stand for no word. Bit 0 marks a record that holds only the words that the next version replaced. */
const PARTIAL: u64 = 1;

export function bitmapBytes(height: u32): usize {
  return max<usize>(1, (2 << height) >> 3);
}

function loadBitmap(record: usize, height: u32): u64 {
  if (height < 3) return load<u8>(record);
  if (height == 3) return load<u16>(record);
  if (height == 4) return load<u32>(record);
  return load<u64>(record);
}

function storeBitmap(record: usize, height: u32, bits: u64): void {
  if (height < 3) store<u8>(record, <u8>bits);
  else if (height == 3) store<u16>(record, <u16>bits);
  else if (height == 4) store<u32>(record, <u32>bits);
  else store<u64>(record, bits);
}

/** The zero hash of a level, of 43 x 32. */
@inline
export function zeroHash(zeros: usize, level: usize): usize {
  return zeros + (level << 5);
}

@inline
function isZeroHash(word: usize, zero: usize): bool {
  return (
    load<u64>(word) == load<u64>(zero) &&
    load<u64>(word, 8) == load<u64>(zero, 8) &&
    load<u64>(word, 16) == load<u64>(zero, 16) &&
    load<u64>(word, 24) == load<u64>(zero, 24)
  );
}

/** Tree level of the heap words from 2^depth on. */
@inline
function levelAt(depth: u32, height: u32, baseLevel: u32): usize {
  return baseLevel + height - depth;
}

/** Copies a word with two loads and stores; memory.copy would be a call. */
@inline
export function copyWord(out: usize, word: usize): void {
  v128.store(out, v128.load(word));
  v128.store(out, v128.load(word, 16), 16);
}

/**
 * Fills words 2 and up of a tile from a whole record (src/core/tile-record.ts), the rest with zero hashes. With no
 * bytes the tile is empty. False when the length does not agree with the bitmap.
 *
 *   record bytes -> tile 2^(height+1) x 32
 */
export function unpackRecord(tile: usize, record: usize, bytes: usize, height: u32, baseLevel: u32, zeros: usize): bool {
  let bits: u64 = 0;
  if (bytes != 0) {
    const bitmap = bitmapBytes(height);
    if (bytes < bitmap) return false;
    bits = loadBitmap(record, height);
    if (bytes != bitmap + (<usize>popcnt(bits) << 5) || (bits & 3) != 0) return false;
    record += bitmap;
  }
  for (let depth: u32 = 1; depth <= height; depth++) {
    const zero = zeroHash(zeros, levelAt(depth, height, baseLevel));
    for (let node: u64 = 1 << depth; node < 2 << depth; node++) {
      const present = ((bits >> node) & 1) != 0;
      copyWord(tile + (<usize>node << 5), present ? record : zero);
      if (present) record += 32;
    }
  }
  return true;
}

/** Bits of the words of a tile that are not zero hashes. */
export function presentWords(tile: usize, height: u32, baseLevel: u32, zeros: usize): u64 {
  let bits: u64 = 0;
  for (let depth: u32 = 1; depth <= height; depth++) {
    const zero = zeroHash(zeros, levelAt(depth, height, baseLevel));
    for (let node: u64 = 1 << depth; node < 2 << depth; node++) {
      bits |= <u64>!isZeroHash(tile + (<usize>node << 5), zero) << node;
    }
  }
  return bits;
}

/** Packs the words of a tile whose bit is set, whatever their value, and returns the record's end. */
export function packRecord(record: usize, tile: usize, height: u32, bits: u64, partial: bool): usize {
  storeBitmap(record, height, partial ? bits | PARTIAL : bits);
  let end = record + bitmapBytes(height);
  for (let left = bits; left != 0; left &= left - 1) {
    copyWord(end, tile + (<usize>ctz(left) << 5));
    end += 32;
  }
  return end;
}
