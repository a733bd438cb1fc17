/** Below this size a transfer costs more than garbage collection of the buffer. */
const MIN_BYTES = 16 * 1024;

/**
 * Detaches the buffer of bytes that are no longer used, which frees its memory at once. Does nothing for fewer than 16
 * KiB, for a view of part of a buffer and for shared memory. Large buffers left to the garbage collector soon cause
 * full collections, each of which stops the thread for milliseconds.
 */
export function detachBuffer({ buffer, length }: Uint8Array): void {
  if (length >= MIN_BYTES && buffer.byteLength === length && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
