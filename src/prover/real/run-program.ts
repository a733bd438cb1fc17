import { spawn } from "node:child_process";
import { basename } from "node:path";
import { ProvingError } from "../agent/prover.ts";

/** Bytes of a program's output that are kept for messages. */
const MAX_OUTPUT = 4096;
const MAX_REASON_LENGTH = 300;

interface ProgramRun {
  readonly program: string;
  readonly args: readonly string[];
  readonly folder: string;
  readonly threads: number;
  /** The program is killed after this time. */
  readonly limitMs: number;
  readonly signal: AbortSignal;
}

/**
 * Runs a program to its end. Rejects with a ProvingError; another attempt may succeed unless the program itself ended
 * with an error. An aborted run is killed with its child processes.
 */
export async function runProgram({ program, args, folder, threads, limitMs, signal }: ProgramRun): Promise<void> {
  signal.throwIfAborted();
  const name = `${basename(program)} ${args[0]}`;
  // A process group of its own, so that a wrapper script is killed with the program that it runs.
  const child = spawn(program, args, {
    ...{ cwd: folder, env: environment(threads), detached: true, stdio: ["ignore", "pipe", "pipe"] },
  });
  const kill = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended.
    }
  };
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.on("data", (part: Buffer) => {
      output = (output + part.toString("utf8")).slice(-MAX_OUTPUT);
    });
  }
  let late = false;
  const timer = setTimeout(() => {
    late = true;
    kill();
  }, limitMs);
  signal.addEventListener("abort", kill, { once: true });
  try {
    await new Promise<void>((resolve, reject) => {
      const fail = (rule: string, retry: boolean) => reject(new ProvingError(`${name} ${rule}`, retry));
      child.on("error", ({ message }) => fail(`cannot be started: ${message}`, true));
      child.on("close", (code, killedBy) => {
        if (code === 0) resolve();
        else if (late) fail(`was killed after ${limitMs} ms`, true);
        else if (killedBy !== null) fail(`was killed by ${killedBy}`, true);
        else fail(`ended with exit code ${code}: ${reasonIn(output)}`, false);
      });
    });
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", kill);
  }
}

/** Only what the program needs: this process's environment may hold keys. */
function environment(threads: number): NodeJS.ProcessEnv {
  const { PATH, HOME, LD_LIBRARY_PATH } = process.env;
  return { PATH, HOME, LD_LIBRARY_PATH, HARDWARE_CONCURRENCY: String(threads) };
}

/** The end of an output on one line. */
function reasonIn(output: string): string {
  return (
    output
      .trim()
      .replace(/\s*\n\s*/g, "; ")
      .slice(-MAX_REASON_LENGTH) || "it wrote no reason"
  );
}
