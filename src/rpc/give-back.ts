/** Smaller ones are not worth the call. */
const WORTH_IT = 16 * 1024;

/**
 * Gives the memory of bytes that nobody needs any more back at once, where they have a buffer to themselves. Left to the garbage
 * collector, large buffers soon make it run, and a full collection stops the thread for milliseconds.
 */
export function giveBack({ buffer, length }: Uint8Array): void {
  if (length >= WORTH_IT && buffer.byteLength === length && buffer instanceof ArrayBuffer) buffer.transfer(0);
}
