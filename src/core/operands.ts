/** Words of tiles and inputs that one call hands over at most: bounds the memory of an instance to some 10 MB. */
export const MAX_WORDS_PER_CALL = 1 << 17;

/** Throws a RangeError unless the operand has exactly `length` bytes. */
export function requireBytes(name: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${name} must be ${length} bytes, got ${bytes.length}`);
}

/** Throws a RangeError unless the operand consists of whole words of 32 bytes. */
export function requireWords(name: string, bytes: Uint8Array): void {
  if (bytes.length % 32 !== 0) throw new RangeError(`${name} must be whole 32-byte words, got ${bytes.length} bytes`);
}
