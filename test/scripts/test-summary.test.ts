import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import { summarize, summarizeAll } from "../../scripts/test-summary.ts";
import { type Cost, laneOrder } from "../support/lanes.ts";
import { isRetried } from "../support/retried.ts";

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
  expect(summarize(text, exitCode)).toEqual({ ...summary, flaky: [] });
});

test("a summary of several reports adds them up, and counts one that is missing as a failure", () => {
  const summary = summarizeAll([
    [report(12, 1), 1],
    [report(30, 0), 0],
    [undefined, 1],
  ]);
  expect(summary).toEqual({ passed: 42, failed: 2, flaky: [] });
});

test("a test summary names every test that passed only when it was repeated", () => {
  const result = (fullName: string, status: string, ...failureMessages: string[]) => ({
    fullName,
    status,
    failureMessages,
  });
  const testResults = [
    { name: resolve("test/a.test.ts"), assertionResults: [result("one", "passed"), result("two", "passed", "no")] },
    { name: resolve("test/b.test.ts"), assertionResults: [result("three", "failed", "no", "no")] },
  ];
  const text = JSON.stringify({ numPassedTests: 2, numFailedTests: 1, success: false, testResults });
  expect(summarize(text, 1)).toEqual({ passed: 2, failed: 1, flaky: ["test/a.test.ts > two"] });
});

test("a test that passes only when it is repeated is flaky in the report of a run", () => {
  const build = join(import.meta.dirname, "../../build");
  const folder = mkdtempSync(join(build, "flaky-"));
  try {
    const report = join(folder, "report.json");
    const text = `import { expect, test } from "vitest";
      let attempts = 0;
      test("passes when repeated", () => expect(++attempts).toBe(2));`;
    writeFileSync(join(folder, "a.test.ts"), text);
    const run = ["run", "--root", folder, "--retry=1", "--reporter=json", `--outputFile=${report}`];
    execFileSync(process.execPath, [join(build, "../node_modules/vitest/vitest.mjs"), ...run], { stdio: "pipe" });
    const flaky = [expect.stringMatching(/a\.test\.ts > passes when repeated$/)];
    expect(summarize(readFileSync(report, "utf8"), 0)).toEqual({ passed: 1, failed: 0, flaky });
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.each([
  ["test/node/peers.test.ts", "", true],
  ["test/status/recorded-chain.test.ts", "", true],
  ["test/core/field.test.ts", "", false],
  ["test/validator/signing/ha-guard.test.ts", "", false],
  ["test/sequencer/publisher/kill.test.ts", "", false],
  ["test/slasher/node-on-l1.test.ts", "", false],
  ["test/p2p/fuzz/peer-fuzz.test.ts", "", false],
  ["test/rpc/dispatcher.test.ts", 'import fc from "fast-check";', false],
])("whether a failed test of %s is repeated: tests of safety and of random inputs are not", (path, text, retried) => {
  expect(isRetried(path, text)).toBe(retried);
});

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
