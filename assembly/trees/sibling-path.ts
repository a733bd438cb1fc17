import { zeroHash } from "./zero-hashes";

/** Word `node` of a record of a tile of 2^(height+1) heap words, or 0 when the record leaves it out. */
function recordWord(record: usize, height: u32, node: u32): usize {
  const byteInBitmap = node >> 3;
  const bits: u32 = load<u8>(record + byteInBitmap);
  const bit: u32 = 1 << (node & 7);
  if ((bits & bit) == 0) return 0;
  let rank = popcnt<u32>(bits & (bit - 1));
  for (let i: u32 = 0; i < byteInBitmap; i++) rank += popcnt<u32>(load<u8>(record + i));
  const bitmapBytes: usize = max<u32>(1, (1 << (height + 1)) >> 3);
  return record + bitmapBytes + (<usize>rank << 5);
}

/**
 * Sibling path of the leaf at `index`, leaf side first. Record t is a packed tile over levels t * tileHeight to
 * min((t + 1) * tileHeight, height) - 1; pointer 0 means an empty tile.
 *
 *   records ceil(height / tileHeight) x u32 pointer -> out height x 32
 */
export function siblingPath(out: usize, records: usize, index: u64, height: u32, tileHeight: u32): void {
  for (let base: u32 = 0; base < height; base += tileHeight, records += 4) {
    const ownHeight = min(tileHeight, height - base);
    const record: usize = load<u32>(records);
    let node = <u32>((index >> base) & ((1 << ownHeight) - 1)) | (1 << ownHeight);
    for (let i: u32 = 0; i < ownHeight; i++, node >>= 1, out += 32) {
      const word: usize = record == 0 ? 0 : recordWord(record, ownHeight, node ^ 1);
      memory.copy(out, word == 0 ? zeroHash(base + i) : word, 32);
    }
  }
}
