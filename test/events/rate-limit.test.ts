import { expect, test } from "vitest";
import { BucketMap, RateLimit } from "../../src/events/rate-limit.ts";
import { SharedBuckets } from "../../src/rpc/limits/shared-buckets.ts";

test.each([
  ["a single bucket", () => undefined],
  ["buckets of one thread", () => new BucketMap(10)],
  ["buckets that threads share", () => new SharedBuckets(SharedBuckets.memory(64))],
])("a rate limit with %s admits what a count of tokens admits", (_name, buckets) => {
  let now = 5_000;
  const rate = { perSecond: 7, burst: 20 };
  const limit = new RateLimit(rate, buckets(), () => now);
  let [tokens, refused] = [rate.burst, 0];
  for (let i = 0; i < 5_000; i++) {
    const passed = (i * 7919) % 251;
    now += passed;
    tokens = Math.min(rate.burst, tokens + (passed / 1000) * rate.perSecond);
    // A thousandth of a token is rounding.
    if (Math.abs(tokens - 1) > 2e-3) expect(limit.wait("a") <= 0).toBe(tokens >= 1);
    if (limit.take("a")) tokens -= 1;
    else refused += 1;
  }
  expect(tokens).toBeGreaterThan(-0.01);
  expect(refused).toBeGreaterThan(100);
});

test("beyond their number, buckets are forgotten from which least lately was taken", () => {
  const buckets = new BucketMap(2);
  const limit = new RateLimit({ perSecond: 1, burst: 1 }, buckets, () => 0);
  for (const key of ["a", "b"]) expect(limit.take(key)).toBe(true);
  expect([limit.take("a"), limit.take("c"), buckets.size]).toEqual([false, true, 2]);
  expect([limit.take("c"), limit.take("b"), limit.take("a")]).toEqual([false, false, true]);
});
