import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { expect, test } from "vitest";
import { summarize, summarizeAll } from "../../scripts/test-summary.ts";

const result = (fullName: string, status: string, ...failureMessages: string[]) => ({
  fullName,
  status,
  failureMessages,
});

const report = (numPassedTests: number, failed: number, success = failed === 0) => {
  const assertionResults = Array.from({ length: failed }, (_, i) => result(`test ${i}`, "failed", "no"));
  return JSON.stringify({ numPassedTests, success, testResults: [{ name: resolve("a.test.ts"), assertionResults }] });
};

test.each([
  ["all passed", report(12, 0), 0, { passed: 12, failed: 0 }],
  ["some failed", report(10, 2), 1, { passed: 10, failed: 2 }],
  ["an error was outside all files", report(10, 0, false), 1, { passed: 10, failed: 1 }],
  ["the command failed after the tests", report(10, 0), 1, { passed: 10, failed: 1 }],
  ["the build failed, so there is no report", undefined, 1, { passed: 0, failed: 1 }],
  ["the report is incomplete", '{"numPassedTests": 3', 0, { passed: 0, failed: 1 }],
  ["nothing ran", report(0, 0), 0, { passed: 0, failed: 1 }],
])("a test summary counts correctly when %s", (_, text, exitCode, summary) => {
  expect(summarize(text, exitCode)).toMatchObject(summary);
});

test("a summary of several reports adds them up, and counts one that is missing as a failure", () => {
  const summary = summarizeAll([
    [report(12, 1), 1],
    [report(30, 0), 0],
    [undefined, 1],
  ]);
  const failures = ["a.test.ts > test 0: no", "the test command exited with 1 after 0 passed tests and no failed one"];
  expect(summary).toEqual({ passed: 42, failed: 2, failures, flaky: [] });
});

test("a test summary names every test that passed only when it was repeated", () => {
  const testResults = [
    { name: resolve("test/a.test.ts"), assertionResults: [result("one", "passed"), result("two", "passed", "no")] },
    { name: resolve("test/b.test.ts"), assertionResults: [result("three", "failed", "no", "no")] },
  ];
  const text = JSON.stringify({ numPassedTests: 2, success: false, testResults });
  expect(summarize(text, 1)).toMatchObject({ passed: 2, failed: 1, flaky: ["test/a.test.ts > two: no"] });
});

test("a test summary names every failed test and file once, each in a line of plain text", () => {
  const red = (text: string) => `\x1b[31m${text}\x1b[39m`;
  const testResults = [
    {
      name: resolve("test/a.test.ts"),
      status: "failed",
      message: `\n${red("an after hook")}\nits stack`,
      assertionResults: [
        result("passes", "passed"),
        result("fails", "failed", "Error: at first", `Error: ${red("red")}\n  at a.test.ts:1:1`),
        result("is of\ntwo lines", "failed", "long".repeat(100)),
        result("has no message", "failed"),
      ],
    },
    { name: resolve("test/b.test.ts"), status: "failed", message: "Cannot find module", assertionResults: [] },
    {
      name: resolve("test/c.test.ts"),
      status: "failed",
      message: "",
      assertionResults: [result("skipped", "skipped")],
    },
  ];
  const { failed, failures } = summarize(JSON.stringify({ numPassedTests: 1, success: false, testResults }), 1);
  expect(failures).toEqual([
    "test/a.test.ts: an after hook",
    "test/a.test.ts > fails: Error: red",
    expect.stringMatching(/^test\/a\.test\.ts > is of two lines: (?:long)+.*\.\.\.$/),
    "test/a.test.ts > has no message: without a message",
    "test/b.test.ts: Cannot find module",
    "test/c.test.ts: a hook of a group of tests failed",
  ]);
  expect(failures[2]).toHaveLength(300);
  expect(failed).toBe(6);
});

test("the summary of a run names what failed, and what passed only when it was repeated", () => {
  const build = join(import.meta.dirname, "../../build");
  const folder = mkdtempSync(join(build, "flaky-"));
  try {
    const report = join(folder, "report.json");
    const files = {
      a: `let attempts = 0;
        test("passes when repeated", () => expect(++attempts).toBe(2));
        test("fails", () => expect(1).toBe(2));`,
      b: "import './missing.ts';",
      c: "beforeAll(() => { throw new Error('hook of a file'); });\ntest('passes', () => {});",
    };
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, `${name}.test.ts`), `import { beforeAll, expect, test } from "vitest";\n${text}`);
    }
    const run = ["run", "--root", folder, "--retry=1", "--reporter=json", `--outputFile=${report}`];
    const { status } = spawnSync(process.execPath, [join(build, "../node_modules/vitest/vitest.mjs"), ...run]);
    expect(status).toBe(1);
    const summary = spawnSync(process.execPath, ["scripts/test-summary.ts", report, "1"], { encoding: "utf8" });
    const path = relative(process.cwd(), folder);
    expect(summary.stdout.split("\n").sort()).toEqual(
      [
        "",
        `failed: ${path}/a.test.ts > fails: AssertionError: expected 1 to be 2 // Object.is equality`,
        `failed: ${path}/b.test.ts: Cannot find module './missing.ts' imported from ${folder}/b.test.ts`,
        `failed: ${path}/c.test.ts: hook of a file`,
        `flaky: ${path}/a.test.ts > passes when repeated: AssertionError: expected 1 to be 2 // Object.is equality`,
        "1 passed, 3 failed",
      ].sort(),
    );
    expect(summary.stdout.trimEnd().split("\n").at(-1)).toBe("1 passed, 3 failed");
  } finally {
    rmSync(folder, { recursive: true });
  }
});
