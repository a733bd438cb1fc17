import { describe, expect, test } from "vitest";
import { jobIdOf, parseJobId } from "../../../src/prover/jobs/job-id.ts";
import { isJobType, JOB_TYPES, nameOfJobType } from "../../../src/prover/jobs/job-type.ts";

describe("the id of a proving job", () => {
  const emptyInput = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";

  test("names epoch, type and the hash of the input", () => {
    const id = jobIdOf(11, JOB_TYPES.CHECKPOINT_PADDING_ROLLUP, new Uint8Array());
    expect(id).toBe(`11:CHECKPOINT_PADDING_ROLLUP:${emptyInput}`);
    expect(parseJobId(id)).toEqual({ epoch: 11, type: 13, inputHash: emptyInput });
  });

  test.each([
    ["an unknown type", `1:SOME_ROLLUP:${emptyInput}`],
    ["a property of Object", `1:constructor:${emptyInput}`],
    ["a negative epoch", `-1:PARITY_BASE:${emptyInput}`],
    ["a short hash", "1:PARITY_BASE:abcd"],
    ["no text", ""],
  ])("is not parsed from %s", (_, id) => {
    expect(parseJobId(id)).toBeUndefined();
  });
});

describe("job types", () => {
  test("are the integers from 0 to 17", () => {
    expect([0, 17].every(isJobType)).toBe(true);
    expect([-1, 18, 0.5, "1", null].some(isJobType)).toBe(false);
    expect(Object.values(JOB_TYPES).map(nameOfJobType)).toEqual(Object.keys(JOB_TYPES));
  });
});
