/** Size of a buffer that copies share: a buffer per copy would take four times the memory of its word. */
const BUFFER_BYTES = 8192;
let buffer = new ArrayBuffer(BUFFER_BYTES);
let end = 0;

/** A copy of the 32 bytes at `at`. Other copies share its buffer, so the buffer must not be transferred. */
export function copyWord(bytes: Uint8Array, at: number): Uint8Array {
  if (end === BUFFER_BYTES) {
    buffer = new ArrayBuffer(BUFFER_BYTES);
    end = 0;
  }
  const copy = new Uint8Array(buffer, end, 32);
  end += 32;
  for (let i = 0; i < 32; i++) copy[i] = bytes[at + i];
  return copy;
}
