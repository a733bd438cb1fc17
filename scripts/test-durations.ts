/**
 * Writes how long the files of a test report took (Vitest's JSON reporter) to test/support/durations.json, by which
 * the next runs order them.
 * usage: test-durations.ts <report.json>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";

const LEAST_MS = 500;
const root = join(import.meta.dirname, "..");

interface Report {
  testResults: { name: string; startTime: number; endTime: number }[];
}

const { testResults } = JSON.parse(readFileSync(process.argv[2], "utf8")) as Report;
const durations = testResults
  .map(({ name, startTime, endTime }) => [relative(root, name), Math.round((endTime - startTime) / 100) * 100] as const)
  .filter(([, ms]) => ms >= LEAST_MS)
  .sort(([a], [b]) => (a < b ? -1 : 1));
const text = JSON.stringify(Object.fromEntries(durations), undefined, 2);
writeFileSync(join(root, "test/support/durations.json"), `${text}\n`);
