import { expect, test } from "vitest";
import { backoff, isPowerOfTwo } from "../../src/archiver/retry.ts";

test("retry pauses double up to a bound, and at least half of each is guaranteed", () => {
  const pauses = (random: number) => [1, 2, 3, 4, 9, 999].map((n) => backoff(n, 500, 15_000, () => random));
  expect(pauses(1)).toEqual([500, 1000, 2000, 4000, 15_000, 15_000]);
  expect(pauses(0)).toEqual([250, 500, 1000, 2000, 7500, 7500]);
  expect([0, 1, 2, 3, 4, 6, 8, 1024].filter(isPowerOfTwo)).toEqual([1, 2, 4, 8, 1024]);
});
