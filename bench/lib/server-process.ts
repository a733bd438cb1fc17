import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";

/** A process under measurement did not come up, or ended. */
export class ServerProcessError extends Error {
  readonly command: string;
  readonly output: string;

  constructor(command: string, rule: string, output: string) {
    super(`${command} ${rule}${output === "" ? "" : `: ${output.trim().slice(-600)}`}`);
    this.name = "ServerProcessError";
    this.command = command;
    this.output = output;
  }
}

export interface ServerOptions {
  command: string;
  args: readonly string[];
  env?: NodeJS.ProcessEnv;
  /** What its output shows once it is ready. */
  ready: RegExp;
  limitMs?: number;
}

export interface ServerProcess {
  readonly pid: number;
  /** What `ready` found. */
  readonly match: RegExpExecArray;
  /** performance.now() just before the process was started. */
  readonly startedAt: number;
  /** Ends it, with SIGKILL when it takes longer than five seconds. */
  stop(): Promise<void>;
}

const KEPT_OUTPUT = 16_384;
const STOP_LIMIT_MS = 5000;
const DEFAULT_LIMIT_MS = 120_000;

/** Starts a process and waits until its output shows that it is ready. It dies with this one. */
export async function startServer({ command, args, env, ready, limitMs }: ServerOptions): Promise<ServerProcess> {
  const startedAt = performance.now();
  const child: ChildProcess = spawn(command, args, { env: { ...process.env, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  const kill = (): void => void child.kill("SIGKILL");
  process.once("exit", kill);
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  const name = [command, ...args].join(" ").slice(0, 200);
  let output = "";
  const found = new Promise<RegExpExecArray>((resolve, reject) => {
    const fail = (rule: string): void => reject(new ServerProcessError(name, rule, output));
    const limit = setTimeout(() => fail("was not ready in time"), limitMs ?? DEFAULT_LIMIT_MS);
    const read = (part: Buffer): void => {
      output = (output + part.toString("utf8")).slice(-KEPT_OUTPUT);
      const match = ready.exec(output);
      if (match === null) return;
      clearTimeout(limit);
      resolve(match);
    };
    child.stdout?.on("data", read);
    child.stderr?.on("data", read);
    child.once("error", (error) => {
      clearTimeout(limit);
      reject(new ServerProcessError(name, `could not be run (${error.message})`, ""));
    });
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      fail(`ended with ${code ?? signal} before it was ready`);
    });
  });
  const stop = async (): Promise<void> => {
    child.kill("SIGTERM");
    const late = setTimeout(kill, STOP_LIMIT_MS);
    await ended;
    clearTimeout(late);
    process.off("exit", kill);
  };
  try {
    return { pid: child.pid ?? 0, match: await found, startedAt, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

function children(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/** Memory of a process in MiB. */
export interface Memory {
  /** All that is resident, pages of mapped files included. */
  resident: number;
  /** Without the pages of files, which the system can take back at any time. */
  anonymous: number;
}

/** Memory of a process and its children now. */
export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
  const own = { resident: field("VmRSS"), anonymous: field("RssAnon") };
  return children(pid)
    .map(memoryOf)
    .reduce((a, b) => ({ resident: a.resident + b.resident, anonymous: a.anonymous + b.anonymous }), own);
}
