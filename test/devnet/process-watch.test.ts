import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { untilEnded } from "../../src/devnet/process-watch.ts";
import { processMark } from "../../src/storage/process-mark.ts";
import { NODE_OPTIONS } from "../support/program.ts";

/** Starts three processes, of which one has ended in order, prints the others, and waits. */
const PROGRAM = `
import { spawn } from "node:child_process";
import { ProcessWatch } from "${join(import.meta.dirname, "../../src/devnet/process-watch.ts")}";
const watch = new ProcessWatch(process.argv[1]);
const children = [0, 1, 2].map(() => spawn("sleep", ["600"], { stdio: "ignore", detached: true }));
for (const { pid } of children) watch.add(pid);
children[1].once("exit", () => {
  watch.remove(children[1].pid);
  process.kill(-children[2].pid, "SIGSTOP");
  console.log(children[0].pid, children[2].pid);
});
children[1].kill();
setInterval(() => {}, 1000);
`;

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

test("processes end when the program that started them was killed, also one that stands still", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-watch-"));
  const file = join(folder, "watch.pid");
  const program = spawn(process.execPath, [...NODE_OPTIONS, "--input-type=module", "--eval", PROGRAM, file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  try {
    const line = await new Promise<string>((resolve) => program.stdout.once("data", (part) => resolve(String(part))));
    const pids = line.trim().split(" ").map(Number);
    expect(pids.map(isRunning)).toEqual([true, true]);
    program.kill("SIGKILL");
    await untilEnded(file, new AbortController().signal);
    expect(pids.map(isRunning)).toEqual([false, false]);
  } finally {
    program.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a watch file that names no running watch, empty or of a reused process id, is not waited for", async () => {
  const folder = mkdtempSync(join(tmpdir(), "svc-watch-"));
  const file = join(folder, "watch.pid");
  const own = processMark(process.pid);
  try {
    const files = ["", "0", "null", JSON.stringify({ ...own, started: "1" }), JSON.stringify({ ...own, pid: 0 })];
    for (const text of [...files, JSON.stringify({ ...own, place: "before a reboot" })]) {
      writeFileSync(file, text);
      await untilEnded(file, AbortSignal.abort());
      expect(existsSync(file)).toBe(false);
    }
    writeFileSync(file, JSON.stringify(own));
    await expect(untilEnded(file, AbortSignal.abort())).rejects.toThrow("aborted");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
