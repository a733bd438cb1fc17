/** Links that take longer than this are too slow for the feed. */
export const MIN_BYTES_PER_SECOND = 8 * 1024;

/** How long so many bytes may take. */
export function transferMs(bytes: number, bytesPerSecond = MIN_BYTES_PER_SECOND): number {
  return (bytes / bytesPerSecond) * 1000;
}
