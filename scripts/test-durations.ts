/**
 * Writes how long test files took and how much CPU time they used (a file of test/support/record-times.ts) to
 * test/support/durations.json, by which the next runs order them.
 * usage: test-durations.ts <times.jsonl>
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { FileTimes } from "../test/support/record-times.ts";

/** Shorter files are all alike to the order. */
const MIN_MS = 1000;

const lines = readFileSync(process.argv[2], "utf8").trim().split("\n");
const times = lines.map((line) => JSON.parse(line) as FileTimes);
const rounded = (ms: number) => Math.round(ms / 100) * 100;
const durations = times
  .filter(({ ms }) => ms >= MIN_MS)
  .map(({ path, ms, cpuMs }) => `  ${JSON.stringify(path)}: [${rounded(ms)}, ${rounded(cpuMs)}]`)
  .sort();
writeFileSync(join(import.meta.dirname, "../test/support/durations.json"), `{\n${durations.join(",\n")}\n}\n`);
