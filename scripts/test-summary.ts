/**
 * Prints `N passed, N failed` for test reports of Vitest (JSON reporter), after a line for each test that passed only
 * when it was repeated. Exits with 1 unless all is well.
 * usage: test-summary.ts {<report.json> <exit code of the test command>}
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";

export interface Summary {
  passed: number;
  failed: number;
  /** `file > test` of tests that failed and then passed. */
  flaky: string[];
}

interface Report {
  numPassedTests?: number;
  numFailedTests?: number;
  success?: boolean;
  testResults?: {
    name: string;
    assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
  }[];
}

/**
 * Counts of a report. A failing command without a failing test (no report, a file that did not load, a lint error)
 * counts as one failure, and so does a run in which nothing passed.
 */
export function summarize(report: string | undefined, exitCode: number): Summary {
  let passed = 0;
  let failed = 0;
  let flaky: string[] = [];
  try {
    const counts: Report = JSON.parse(report ?? "{}");
    flaky = flakyTests(counts);
    passed = counts.numPassedTests ?? 0;
    failed = counts.numFailedTests ?? 0;
    if (counts.success !== true && failed === 0) failed = 1;
  } catch {
    failed = 1;
  }
  if ((exitCode !== 0 || passed === 0) && failed === 0) failed = 1;
  return { passed, failed, flaky };
}

/** Of all reports, each with the exit code of its command. */
export function summarizeAll(reports: readonly (readonly [report: string | undefined, exitCode: number])[]): Summary {
  const summaries = reports.map(([report, exitCode]) => summarize(report, exitCode));
  const sum = (count: (one: Summary) => number) => summaries.reduce((total, one) => total + count(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    flaky: summaries.flatMap(({ flaky }) => flaky),
  };
}

/** Vitest keeps the failures of the first attempt in the result of a test that passes later. */
function flakyTests({ testResults = [] }: Report): string[] {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
      .map(({ fullName }) => `${relative(process.cwd(), name)} > ${fullName}`),
  );
}

function readReport(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.filename === process.argv[1]) {
  const args = process.argv.slice(2);
  const reports = args.flatMap((path, i) => (i % 2 === 0 ? [[readReport(path), Number(args[i + 1])] as const] : []));
  const { passed, failed, flaky } = summarizeAll(reports);
  for (const test of flaky) process.stdout.write(`flaky: ${test}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
