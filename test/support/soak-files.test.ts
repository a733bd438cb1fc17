import { expect, test } from "vitest";
import { costOf } from "./lanes.ts";
import { soakPart } from "./soak-files.ts";

const SOAK = ["conformance/kill", "conformance/hostile-l1/hostile-l1", "sequencer/scenarios/kill", "scaling/haproxy"]
  .map((name) => `test/${name}.test.ts`)
  .concat(Array.from({ length: 20 }, (_, index) => `test/short-${index}.test.ts`));

test("the parts of the soak tests hold each file once, and take about equally long", () => {
  const parts = ["1/4", "2/4", "3/4", "4/4"].map((part) => soakPart(SOAK, part));
  expect(parts.flat().toSorted()).toEqual(SOAK.toSorted());
  const durations = parts.map((paths) => paths.reduce((sum, path) => sum + costOf(path).ms, 0));
  const longest = Math.max(...SOAK.map((path) => costOf(path).ms));
  expect(Math.max(...durations) - Math.min(...durations)).toBeLessThanOrEqual(longest);
  expect(soakPart(SOAK.toReversed(), "3/4")).toEqual(parts[2]);
  expect(soakPart(SOAK, "1/1").toSorted()).toEqual(SOAK.toSorted());
});

test.each(["", "0/4", "5/4", "4", "1/0", "one/4"])("%j is no part of the soak tests", (part) => {
  expect(() => soakPart(SOAK, part)).toThrow(`SVC_SOAK_PART must be a part of several, like 2/4, and is ${part}`);
});
