import { expect, test } from "vitest";
import { ThreadShares } from "../../../src/p2p/streams/thread-shares.ts";

test("a peer alone may use half of the thread, and pauses beyond it", () => {
  let now = 0;
  const shares = new ThreadShares({ now: () => now });
  let used = 0;
  while (now < 10_000) {
    used += 10;
    now += 10;
    now += Math.max(0, shares.use("a", 10));
  }
  expect(used / now).toBeGreaterThan(0.45);
  expect(used / now).toBeLessThan(0.6);
});

test("a peer within its share never pauses, however much others use", () => {
  let now = 0;
  const shares = new ThreadShares({ now: () => now });
  const pauses: number[] = [];
  for (; now < 10_000; now += 100) {
    for (let i = 0; i < 4; i++) shares.use(`flooding ${i}`, 25);
    pauses.push(shares.use("modest", 4));
  }
  expect(Math.max(...pauses)).toBeLessThanOrEqual(0);
  expect(shares.use("flooding 0", 25)).toBeGreaterThan(0);
});

test("peers that used no time lately are forgotten", () => {
  let now = 0;
  const shares = new ThreadShares({ now: () => now });
  for (let i = 0; i < 1_000; i++) shares.use(`peer ${i}`, 1);
  now = 1_000;
  shares.use("another", 1);
  expect(shares.size).toBe(1);
});
