import { expect, test } from "vitest";
import { l1Ranges } from "../../src/archiver/l1-ranges.ts";
import { CONSTANTS } from "../world/archiver/synthetic-chain.ts";

test("L1 ranges cover every block once, 601 at a time with the network's defaults", () => {
  expect([...l1Ranges(10, 1300, 100, CONSTANTS)]).toEqual([
    { from: 10, to: 610 },
    { from: 611, to: 1211 },
    { from: 1212, to: 1300 },
  ]);
  expect([...l1Ranges(5, 5, 100, CONSTANTS)]).toEqual([{ from: 5, to: 5 }]);
  expect([...l1Ranges(6, 5, 100, CONSTANTS)]).toEqual([]);
});
