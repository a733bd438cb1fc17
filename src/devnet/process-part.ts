import { type ChildProcess, spawn } from "node:child_process";
import type { NodeLogger } from "../process/logging/logging.ts";
import type { NodeLog } from "./combined-log.ts";
import { DevnetError } from "./errors.ts";
import type { Part, PartState } from "./part.ts";
import type { ProcessWatch } from "./process-watch.ts";
import { signalGroup } from "./signal-group.ts";

/** Milliseconds in which a process may end in order; a node exits by itself after 10 s. */
const STOP_LIMIT_MS = 15_000;

export interface PartCommand {
  readonly file: string;
  readonly args: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
}

interface ProcessPartOptions {
  name: string;
  command: PartCommand;
  nodeLog: NodeLog;
  watch: ProcessWatch;
  log: NodeLogger;
}

/** A process in a group of its own, so that Ctrl-C reaches only this program. It is not restarted when it ends. */
export class ProcessPart implements Part {
  readonly #options: ProcessPartOptions;
  #child: ChildProcess | undefined;
  #ended: Promise<void> = Promise.resolve();
  #state: PartState = "stopped";
  #endedWith: string | undefined;
  /** What the state becomes when the process ends; undefined: nobody has ended it. */
  #ending: "stopped" | "killed" | undefined;

  constructor(options: ProcessPartOptions) {
    this.#options = options;
  }

  get state(): PartState {
    return this.#state;
  }

  get endedWith(): string | undefined {
    return this.#endedWith;
  }

  get pid(): number | undefined {
    return this.#child?.pid;
  }

  async start(): Promise<void> {
    if (this.#child !== undefined) return;
    const { name, command, nodeLog, watch, log } = this.#options;
    const { file, args, environment } = command;
    const child = spawn(file, [...args], { env: environment, stdio: ["ignore", "pipe", "pipe"], detached: true });
    const failure = await new Promise<Error | undefined>((resolve) => {
      child.once("spawn", () => resolve(undefined));
      child.once("error", resolve);
    });
    if (failure !== undefined) throw new DevnetError(`${name} could not be started: ${failure.message}`);
    const pid = child.pid as number;
    watch.add(pid);
    this.#child = child;
    this.#state = "running";
    this.#ending = undefined;
    this.#endedWith = undefined;
    for (const stream of [child.stdout, child.stderr]) {
      const output = nodeLog.output();
      stream.on("data", output.write).once("end", output.end);
    }
    this.#ended = new Promise((resolve) =>
      child.once("close", (code, signal) => {
        watch.remove(pid);
        this.#child = undefined;
        this.#state = this.#ending ?? "ended";
        this.#endedWith = this.#ending === undefined ? String(signal ?? code) : undefined;
        if (this.#ending === undefined) {
          log.error({ name, with: this.#endedWith }, "{name} ended by itself with {with}: svc devnet restart {name}");
        }
        resolve();
      }),
    );
  }

  async stop(): Promise<void> {
    this.#end("stopped", "SIGTERM");
    const late = setTimeout(() => this.#signal("SIGKILL"), STOP_LIMIT_MS);
    await this.#ended;
    clearTimeout(late);
    this.#state = "stopped";
  }

  async kill(): Promise<void> {
    this.#end("killed", "SIGKILL");
    await this.#ended;
  }

  #end(ending: "stopped" | "killed", signal: "SIGTERM" | "SIGKILL"): void {
    if (this.#child === undefined) return;
    this.#ending = ending;
    this.#signal(signal);
    // One that stands still would not see the signal.
    if (signal === "SIGTERM") this.#signal("SIGCONT");
  }

  #signal(signal: NodeJS.Signals): void {
    if (this.#child?.pid !== undefined) signalGroup(this.#child.pid, signal);
  }
}
