/**
 * Prints `N passed, N failed` for a test report of Vitest (JSON reporter) and exits with 1 unless all is well.
 * usage: test-summary.ts <report.json> <exit code of the test command>
 */
import { readFileSync } from "node:fs";

export interface Summary {
  passed: number;
  failed: number;
}

/**
 * Counts of a report. A failing command without a failing test (no report, a file that did not load, a lint error)
 * counts as one failure, and so does a run in which nothing passed.
 */
export function summarize(report: string | undefined, exitCode: number): Summary {
  let passed = 0;
  let failed = 0;
  try {
    const counts: { numPassedTests?: number; numFailedTests?: number; success?: boolean } = JSON.parse(report ?? "{}");
    passed = counts.numPassedTests ?? 0;
    failed = counts.numFailedTests ?? 0;
    if (counts.success !== true && failed === 0) failed = 1;
  } catch {
    failed = 1;
  }
  if ((exitCode !== 0 || passed === 0) && failed === 0) failed = 1;
  return { passed, failed };
}

function readReport(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

if (import.meta.filename === process.argv[1]) {
  const [, , path, exitCode] = process.argv;
  const { passed, failed } = summarize(readReport(path), Number(exitCode));
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
