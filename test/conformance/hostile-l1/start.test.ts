import { afterAll, beforeAll, expect, test } from "vitest";
import { LIES } from "../../world/l1/lies.ts";
import { type RecordedL1, startRecordedL1 } from "../../world/node/recorded-node.ts";
import { nodeTrial } from "./node-trial.ts";
import "../../support/soak.ts";

/** A flood, nonsense and a fatal lie; run.ts tries all lies. */
const ROWS = ["answers a bomb of gzip", "answers null to everything", "serves another chain"].map(
  (name) => LIES.find((row) => row.name === name)!,
);

const GIGABYTE = 2 ** 30;

let l1: RecordedL1;
beforeAll(async () => {
  l1 = await startRecordedL1();
});
afterAll(() => l1?.stop());

test.each(ROWS)(
  "a node starting with an L1 that $name waits or exits with one line, and follows L1 later",
  { timeout: 180_000 },
  async (row) => {
    const outcome = await nodeTrial(row, l1, { lieMs: 3000, healedWithinMs: 90_000 });
    if (outcome.start === "ended") {
      expect(outcome.exitCode).toBe(1);
      expect(outcome.said).toHaveLength(1);
      expect(outcome.said[0]).toMatch(/L1|endpoint|contract|code/);
    }
    expect(outcome.peakBytes).toBeLessThan(GIGABYTE);
  },
);
