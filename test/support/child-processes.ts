import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** Processes that a process has started and that have not ended. Empty once it has ended itself. */
export function childrenOf(pid: number): number[] {
  const tasks = `/proc/${pid}/task`;
  try {
    return readdirSync(tasks).flatMap((task) => readNumbers(`${tasks}/${task}/children`));
  } catch {
    return [];
  }
}

function readNumbers(path: string): number[] {
  return readFileSync(path, "utf8").split(" ").filter(Boolean).map(Number);
}

/** Kills a process that was started by another one. Resolves once it does nothing any more. */
export async function killOrphan(pid: number): Promise<void> {
  try {
    process.kill(pid, "SIGKILL");
    // A zombie has ended, whoever is to collect it.
    while (!/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"))) await sleep(5);
  } catch {
    // It is gone.
  }
}
