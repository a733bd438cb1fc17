import { costOf } from "./lanes.ts";

/** What would reach the files after this one: changed modules and timers, the process itself, and its children. */
const OWN_PROCESS =
  /\bvi\.|\bprocess\.(?!cwd|version|argv|platform|arch)|\bglobalThis\b|node:(?:child_process|worker_threads|cluster|module|v8|vm)"|\bgc\b/;

/** Support that starts processes and servers. */
const STARTS = /\b(?:NodeProcess|start[A-Z]\w+|run[A-Z]\w+|spawn\w*|(?<!\.)fork)\(/;

/** Longer files would not end with the others, and take little of their time to start. */
const MAX_MS = 4000;

/** Whether a test file shares its process with others, which saves what a process takes to start and load modules. */
export function sharesProcess(path: string, text: string): boolean {
  return !path.includes("/scenarios/") && costOf(path).ms <= MAX_MS && !OWN_PROCESS.test(text) && !STARTS.test(text);
}
