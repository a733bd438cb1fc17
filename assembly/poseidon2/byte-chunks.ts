/** Number of words for `length` bytes. */
export function chunkCount(length: u32): u32 {
  return (length + 30) / 31;
}

/**
 * Splits bytes into chunks of 31, each read as a little-endian integer
 * (docs/protocol/01-fields-and-hashing.md#19-hash-of-bytes).
 *
 *   bytes length -> words chunkCount(length) x 32
 */
export function bytesToWords(words: usize, bytes: usize, length: u32): void {
  memory.fill(words, 0, <usize>chunkCount(length) << 5);
  for (let i: u32 = 0; i < length; i++) {
    const chunk = i / 31;
    store<u8>(words + (<usize>chunk << 5) + 31 - (i - chunk * 31), load<u8>(bytes + i));
  }
}
