/**
 * Prints `N passed, N failed` for test reports of Vitest (JSON reporter), after a line for each test that failed, for
 * each test file that failed outside its tests, and for each test that passed only when it was repeated. Exits with 1
 * unless all is well.
 * usage: test-summary.ts {<report.json> <exit code of the test command>}
 */
import { readFileSync } from "node:fs";
import { relative } from "node:path";
import { stripVTControlCharacters } from "node:util";

export interface Summary {
  passed: number;
  failed: number;
  /** `file > test: first line of the message`, or `file: ...` where a file failed outside its tests. */
  failures: string[];
  /** `file > test: first line of the first failure` of tests that failed and then passed. */
  flaky: string[];
}

interface TestFile {
  name: string;
  status?: string;
  /** Of a file that did not load, or whose hooks failed; not of the hooks of a group. */
  message?: string;
  assertionResults: { fullName: string; status: string; failureMessages: string[] }[];
}

interface Report {
  numPassedTests?: number;
  success?: boolean;
  testResults?: TestFile[];
}

/** Characters of a failure, so that its line can be read in a log. */
const MAX_FAILURE_LENGTH = 300;

/**
 * Counts of a report. A file that failed outside its tests counts as one failure, and so does a command that failed
 * without a failed test or file (no report, a lint error), or a run in which nothing passed.
 */
export function summarize(report: string | undefined, exitCode: number): Summary {
  const { numPassedTests: passed = 0, success, testResults = [] } = parseReport(report);
  const failures = testResults.flatMap(failuresOf);
  const flaky = testResults.flatMap(flakyTests);
  if (failures.length === 0 && (exitCode !== 0 || success !== true || passed === 0)) {
    failures.push(`the test command exited with ${exitCode} after ${passed} passed tests and no failed one`);
  }
  return { passed, failed: failures.length, failures, flaky };
}

/** Of all reports, each with the exit code of its command. */
export function summarizeAll(reports: readonly (readonly [report: string | undefined, exitCode: number])[]): Summary {
  const summaries = reports.map(([report, exitCode]) => summarize(report, exitCode));
  const sum = (count: (one: Summary) => number) => summaries.reduce((total, one) => total + count(one), 0);
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    failures: summaries.flatMap(({ failures }) => failures),
    flaky: summaries.flatMap(({ flaky }) => flaky),
  };
}

/** A repeated test has a message of each attempt; the last one stands for all. */
function failuresOf({ name, status, message, assertionResults }: TestFile): string[] {
  const file = relative(process.cwd(), name);
  const failed = assertionResults.filter((test) => test.status === "failed");
  const tests = failed.map(({ fullName, failureMessages }) => line(`${file} > ${fullName}`, failureMessages.at(-1)));
  if (message) return [line(file, message), ...tests];
  return status === "failed" && failed.length === 0 ? [line(file, "a hook of a group of tests failed")] : tests;
}

/** Names and messages may come with colours and with line breaks. */
function line(subject: string, message = "without a message"): string {
  const [firstLine] = stripVTControlCharacters(message).trimStart().split(/\r?\n/, 1);
  const text = stripVTControlCharacters(`${subject}: ${firstLine}`).replace(/\s+/g, " ").trim();
  return text.length > MAX_FAILURE_LENGTH ? `${text.slice(0, MAX_FAILURE_LENGTH - 3)}...` : text;
}

/** Vitest keeps the failures of the first attempt in the result of a test that passes later. */
function flakyTests({ name, assertionResults }: TestFile): string[] {
  return assertionResults
    .filter(({ status, failureMessages }) => status === "passed" && failureMessages.length > 0)
    .map(({ fullName, failureMessages }) => line(`${relative(process.cwd(), name)} > ${fullName}`, failureMessages[0]));
}

/** A run that was killed leaves half a report, or none. */
function parseReport(text: string | undefined): Report {
  try {
    return JSON.parse(text ?? "{}") as Report;
  } catch {
    return {};
  }
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
  const { passed, failed, failures, flaky } = summarizeAll(reports);
  for (const failure of failures) process.stdout.write(`failed: ${failure}\n`);
  for (const test of flaky) process.stdout.write(`flaky: ${test}\n`);
  process.stdout.write(`${passed} passed, ${failed} failed\n`);
  process.exitCode = failed === 0 ? 0 : 1;
}
