import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const KEPT_OUTPUT = 16_384;
const STOP_LIMIT_MS = 5000;
const READY_LIMIT_MS = 300_000;

/** Thrown if a measured process did not start, or ended. */
export class ServerProcessError extends Error {
  readonly command: string;
  readonly output: string;

  constructor(command: string, rule: string, output: string) {
    super(`${command} ${rule}${output === "" ? "" : `: ${output.trim().slice(-800)}`}`);
    this.name = "ServerProcessError";
    this.command = command;
    this.output = output;
  }
}

/** A server in its own process, which ends with this one. */
export class ServerProcess {
  /** performance.now() just before the process was started. */
  readonly startedAt: number;
  readonly #child: ChildProcess;
  readonly #name: string;
  readonly #kill = (): void => void this.#child.kill("SIGKILL");
  readonly #closed: Promise<void>;
  #output = "";
  #end: string | undefined;

  constructor(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env) {
    this.#name = [command, ...args].join(" ").slice(0, 160);
    this.startedAt = performance.now();
    const child = spawn(command, args, { env, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    process.once("exit", this.#kill);
    const keep = (part: Buffer): void => {
      this.#output = (this.#output + part.toString("utf8")).slice(-KEPT_OUTPUT);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("error", (error) => {
      this.#end ??= `could not be run (${error.message})`;
    });
    this.#closed = new Promise((resolve) =>
      child.once("close", (code, signal) => {
        this.#end ??= `ended with ${code ?? signal}`;
        resolve();
      }),
    );
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /**
   * Calls `look` every few milliseconds until it returns a value. Throws ServerProcessError if the process ends first
   * or takes longer than `limitMs`.
   */
  async until<T>(
    look: (output: string) => Promise<T | undefined> | T | undefined,
    limitMs = READY_LIMIT_MS,
  ): Promise<T> {
    for (const limit = performance.now() + limitMs; ; await sleep(5)) {
      const found = await look(this.#output);
      if (found !== undefined) return found;
      if (this.#end !== undefined) throw new ServerProcessError(this.#name, this.#end, this.#output);
      if (performance.now() > limit) throw new ServerProcessError(this.#name, "was not ready in time", this.#output);
    }
  }

  shows(pattern: RegExp): Promise<RegExpExecArray> {
    return this.until((output) => pattern.exec(output) ?? undefined);
  }

  /** Ends the process, with SIGKILL after five seconds. */
  async stop(): Promise<void> {
    this.#child.kill("SIGTERM");
    const late = setTimeout(this.#kill, STOP_LIMIT_MS);
    await this.#closed;
    clearTimeout(late);
    process.off("exit", this.#kill);
  }
}

function children(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number),
  );
}

/** Memory of a process in MiB. */
export interface Memory {
  /** All resident memory, including pages of mapped files. */
  resident: number;
  /** Resident memory without file pages, which the system can reclaim at any time. */
  anonymous: number;
}

/** Memory of a process and its children now. Linux only. */
export function memoryOf(pid: number): Memory {
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  const field = (name: string) => Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1] ?? 0) / 1024;
  const own = { resident: field("VmRSS"), anonymous: field("RssAnon") };
  return children(pid)
    .map(memoryOf)
    .reduce((a, b) => ({ resident: a.resident + b.resident, anonymous: a.anonymous + b.anonymous }), own);
}

/** Linux counts CPU time in ticks of a hundredth of a second. */
const TICK_MS = 10;

/** CPU time of a process with all its threads and of its children, in milliseconds. Linux only. */
export function cpuTimeOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
  // The process name, in parentheses, may contain any character; the state follows it. Children that have ended are in
  // the process's own times.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  const own = fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * TICK_MS;
  return children(pid).reduce((sum, child) => sum + cpuTimeOf(child), own);
}
