import { expect, test } from "vitest";
import { PartnerWait } from "../../../src/mempool/digest/partner-wait.ts";

/** After txs that came with the given gaps, in milliseconds. */
function after(gaps: readonly number[]): PartnerWait {
  const wait = new PartnerWait();
  let now = 1_000;
  for (const gap of gaps) {
    now += gap;
    wait.arrived(now);
  }
  return wait;
}

const times = (count: number, gap: number): number[] => Array.from({ length: count }, () => gap);

test("a gossiped tx that is alone waits only while the next one can be expected in time", () => {
  expect(after([]).longest(true)).toBe(0);
  expect(after(times(40, 100)).longest(true)).toBe(0);
  expect(after(times(40, 50)).longest(true)).toBe(60);
  expect(after(times(40, 5)).longest(true)).toBe(60);
});

test("beside busy threads it waits a moment at any rate", () => {
  expect(after([]).longest(false)).toBe(5);
  expect(after(times(40, 100)).longest(false)).toBe(5);
  expect(after(times(40, 50)).longest(false)).toBe(60);
});

test("after a long pause nothing waits until txs come often again", () => {
  expect(after([...times(40, 50), 60_000]).longest(true)).toBe(0);
  expect(after([...times(40, 50), 60_000, ...times(2, 50)]).longest(true)).toBe(0);
  expect(after([...times(40, 50), 60_000, ...times(20, 50)]).longest(true)).toBe(60);
});
