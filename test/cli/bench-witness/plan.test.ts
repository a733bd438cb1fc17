import { availableParallelism } from "node:os";
import { expect, test } from "vitest";
import { BenchWitnessError } from "../../../src/cli/bench-witness/errors.ts";
import { parsePlan } from "../../../src/cli/bench-witness/plan.ts";

test("by default both indexed trees are asked at the tip, with one thread per processor", () => {
  expect(parsePlan({})).toEqual({
    threads: availableParallelism(),
    mix: [
      { tree: "nullifier", weight: 1 },
      { tree: "public-data", weight: 1 },
    ],
    mixGiven: false,
    depth: 0,
    seconds: 10,
    warmUpSeconds: 1,
    keys: 10_000,
    absent: 0.5,
  });
});

test("--trees takes trees with weights", () => {
  expect(parsePlan({ trees: "archive, nullifier=3" })).toMatchObject({
    mix: [
      { tree: "archive", weight: 1 },
      { tree: "nullifier", weight: 3 },
    ],
    mixGiven: true,
  });
});

test.each([
  [{ threads: "0" }, '--threads must be a whole number from 1 to 256; got "0"'],
  [{ threads: "two" }, '--threads must be a whole number from 1 to 256; got "two"'],
  [{ trees: "nullifiers" }, '--trees knows nullifier, public-data, note-hash, l1-to-l2, archive; got "nullifiers"'],
  [{ trees: "" }, '--trees knows nullifier, public-data, note-hash, l1-to-l2, archive; got ""'],
  [
    { trees: "nullifier=1=2" },
    '--trees knows nullifier, public-data, note-hash, l1-to-l2, archive; got "nullifier=1=2"',
  ],
  [{ trees: "archive=0" }, '--trees archive must be a whole number from 1 to 1000; got "0"'],
  [{ trees: "archive,archive=2" }, "--trees names archive twice"],
  [{ depth: "-1" }, '--depth must be a whole number from 0 to 4294967295; got "-1"'],
  [{ duration: "0" }, '--duration must be seconds from 0.1 to 86400; got "0"'],
  [{ warmUp: "soon" }, '--warm-up must be seconds from 0 to 86400; got "soon"'],
  [{ keys: "0" }, '--keys must be a whole number from 1 to 1000000; got "0"'],
  [{ absent: "101" }, '--absent must be a whole number from 0 to 100; got "101"'],
])("bench-witness options %o are refused", (texts, message) => {
  expect(() => parsePlan(texts)).toThrow(BenchWitnessError);
  expect(() => parsePlan(texts)).toThrow(message);
});
