/** Pause before the next try after `failures` failures in a row: doubling from `base` up to `most`, half of it random. Milliseconds. */
export function backoff(failures: number, base: number, most: number, random: () => number = Math.random): number {
  const full = Math.min(most, base * 2 ** Math.min(failures - 1, 30));
  return full / 2 + (random() * full) / 2;
}

/** True for the 1st, 2nd, 4th, 8th .. time: how often a failure that repeats is worth a line in the log. */
export function isPowerOfTwo(count: number): boolean {
  return count > 0 && Number.isInteger(Math.log2(count));
}
