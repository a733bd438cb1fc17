import { bitmapBytes, copyWord, zeroHash } from "./records";

/**
 * Sibling path of the leaf at `index`, leaf side first. Record t is a packed tile over levels t * tileHeight to min((t
 * + 1) * tileHeight, height) - 1; pointer 0 means an empty tile. Tiles are at most five levels high: a bitmap is eight
 * bytes at most, and eight bytes can be read at each record.
 *
 *   records ceil(height / tileHeight) x u32 pointer | zeros 43 x 32 -> out height x 32
 */
export function siblingPath(out: usize, records: usize, index: f64, height: u32, tileHeight: u32, zeros: usize): void {
  const leaf = <u64>index;
  for (let base: u32 = 0; base < height; base += tileHeight, records += 4) {
    const ownHeight = min(tileHeight, height - base);
    const record: usize = load<u32>(records);
    let node = <u32>((leaf >> base) & ((1 << ownHeight) - 1)) | (1 << ownHeight);
    let bits: u64 = 0;
    let words: usize = 0;
    if (record != 0) {
      const bytes = bitmapBytes(ownHeight);
      bits = load<u64>(record) & (<u64>-1 >> (64 - (<u64>bytes << 3)));
      words = record + bytes;
    }
    for (let i: u32 = 0; i < ownHeight; i++, node >>= 1, out += 32) {
      const bit: u64 = 1 << <u64>(node ^ 1);
      // A word that the record omits is a zero hash.
      const word = (bits & bit) == 0 ? zeroHash(zeros, base + i) : words + (<usize>popcnt<u64>(bits & (bit - 1)) << 5);
      copyWord(out, word);
    }
  }
}
