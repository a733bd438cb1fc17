import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { type Cost, laneOrder } from "./lanes.ts";

test("the recorded durations are of files that exist, because a file without one is taken for a short one", () => {
  const recorded = Object.keys(JSON.parse(readFileSync("test/support/durations.json", "utf8")) as object);
  expect(recorded.length).toBeGreaterThan(100);
  expect(recorded.filter((path) => !existsSync(path))).toEqual([]);
});

test("the order of test files fills cores that one file leaves idle, and keeps apart those that need whole cores", () => {
  const costs: Record<string, Cost> = {
    waits: { ms: 100, load: 0.3 },
    computes: { ms: 90, load: 2 },
    "computes less": { ms: 80, load: 1.5 },
    "waits too": { ms: 60, load: 0.2 },
    short: { ms: 10, load: 1 },
  };
  const order = (lanes: number) => laneOrder(Object.keys(costs), (name) => costs[name], lanes, 2);
  expect(order(1)).toEqual(["waits", "computes", "computes less", "waits too", "short"]);
  expect(order(2)).toEqual(["waits", "computes less", "waits too", "short", "computes"]);
  expect(order(3)).toEqual(["waits", "computes less", "waits too", "short", "computes"]);
});
