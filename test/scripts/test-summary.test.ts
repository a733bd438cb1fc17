import { expect, test } from "vitest";
import { summarize } from "../../scripts/test-summary.ts";

const report = (numPassedTests: number, numFailedTests: number, success = numFailedTests === 0) =>
  JSON.stringify({ numPassedTests, numFailedTests, success });

test.each([
  ["all passed", report(12, 0), 0, { passed: 12, failed: 0 }],
  ["some failed", report(10, 2), 1, { passed: 10, failed: 2 }],
  ["a test file did not load", report(10, 0, false), 1, { passed: 10, failed: 1 }],
  ["the command failed after the tests", report(10, 0), 1, { passed: 10, failed: 1 }],
  ["the build failed, so there is no report", undefined, 1, { passed: 0, failed: 1 }],
  ["the report is incomplete", '{"numPassedTests": 3', 0, { passed: 0, failed: 1 }],
  ["nothing ran", report(0, 0), 0, { passed: 0, failed: 1 }],
])("a test summary counts correctly when %s", (_, text, exitCode, summary) => {
  expect(summarize(text, exitCode)).toEqual(summary);
});
