import { readFileSync } from "node:fs";

/**
 * Process id of the L1 that keeps its chain in `stateFile`: the only child of its watching shell that is not a shell.
 */
export function l1Process(stateFile: string): number {
  const shell = readFileSync(`${stateFile}.pid`, "utf8");
  const children = readFileSync(`/proc/${shell}/task/${shell}/children`, "utf8").trim().split(" ").map(Number);
  const found = children.find((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").includes("--mnemonic"));
  if (found === undefined) throw new Error(`no L1 among ${children}`);
  return found;
}
