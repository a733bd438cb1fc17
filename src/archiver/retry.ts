/** Milliseconds to wait after `failures` consecutive failures: doubles from `base` up to `most`, half of it random. */
export function backoff(failures: number, base: number, most: number, random: () => number = Math.random): number {
  const full = Math.min(most, base * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (random() * full) / 2;
}

/** True for 1, 2, 4, 8, ...: limits how often a repeated failure is logged. */
export function isPowerOfTwo(count: number): boolean {
  return count > 0 && Number.isInteger(Math.log2(count));
}
