import { expect, test } from "vitest";
import { longSubjects } from "../../scripts/lint-commits.ts";

test("a commit's subject has at most 72 characters", () => {
  const [whole, long] = ["a".repeat(72), "b".repeat(73)];
  expect(longSubjects(`1234567 ${whole}\n89abcde ${long}\n`)).toEqual([`89abcde ${long}: 73 characters, at most 72`]);
});
