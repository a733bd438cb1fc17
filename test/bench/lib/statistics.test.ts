import fc from "fast-check";
import { expect, test } from "vitest";
import { inPairs, median, percentile, spreadOf } from "../../../bench/lib/statistics.ts";

test("the median is the middle value, or the mean of the two", () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 2, 3])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test("as many values lie above the median as below it", () => {
  fc.assert(
    fc.property(fc.array(fc.integer(), { minLength: 1 }), (values) => {
      const middle = median(values);
      const { min, max } = spreadOf(values);
      expect(middle).toBeGreaterThanOrEqual(min);
      expect(middle).toBeLessThanOrEqual(max);
      const above = values.filter((value) => value > middle).length;
      const below = values.filter((value) => value < middle).length;
      expect(Math.max(above, below)).toBeLessThanOrEqual(values.length / 2);
    }),
  );
});

test("percentiles are by nearest rank", () => {
  const values = Array.from({ length: 100 }, (_, i) => i + 1);
  expect([0, 1, 50, 99, 99.9, 100].map((p) => percentile(values, p))).toEqual([1, 1, 50, 99, 100, 100]);
});

test("the two sides of a comparison take turns, and alternate in going first", async () => {
  const order: string[] = [];
  const pairs = await inPairs(
    3,
    (i) => order.push(`ours ${i}`),
    async (i) => order.push(`theirs ${i}`),
  );
  expect(order).toEqual(["ours 0", "theirs 0", "theirs 1", "ours 1", "ours 2", "theirs 2"]);
  expect(pairs).toEqual([
    { ours: 1, theirs: 2 },
    { ours: 4, theirs: 3 },
    { ours: 5, theirs: 6 },
  ]);
});
