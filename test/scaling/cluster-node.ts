import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, openSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { NODE_OPTIONS, SVC_PROGRAM } from "../support/program.ts";

export interface ClusterNodeOptions {
  name: string;
  /** Data and log are kept here; a node that is started again finds its data. */
  folder: string;
  /** Of the public port. */
  port: number;
  /** Arguments of `svc start`. */
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/** A node behind a load balancer, in a process of its own, with ports that stay when it is started again. */
export class ClusterNode {
  readonly options: ClusterNodeOptions;
  readonly url: string;
  readonly log: string;
  #child: ChildProcess | undefined;

  constructor(options: ClusterNodeOptions) {
    this.options = options;
    this.url = `http://127.0.0.1:${options.port}`;
    this.log = join(options.folder, `${options.name}.log`);
  }

  get address(): string {
    return `127.0.0.1:${this.options.port}`;
  }

  start(): void {
    const { name, folder, port, args, environment } = this.options;
    const log = openSync(this.log, "a");
    this.#child = spawn(process.execPath, [...NODE_OPTIONS, SVC_PROGRAM, "start", ...args], {
      stdio: ["ignore", log, log],
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        LOG_LEVEL: "info",
        DATA_DIRECTORY: join(folder, name),
        AZTEC_PORT: String(port),
        AZTEC_ADMIN_PORT: "0",
        AZTEC_DISABLE_ADMIN_API_KEY: "true",
        SVC_RPC_HOST: "127.0.0.1",
        SVC_RPC_TRUSTED_PROXIES: "127.0.0.1",
        // Cores are few where this runs.
        SVC_RPC_THREADS: "1",
        ...environment,
      },
    });
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  signal(signal: "SIGSTOP" | "SIGCONT"): void {
    this.#child?.kill(signal);
  }

  /** Resolves once the process has ended. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<void> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return;
    const ended = new Promise((resolve) => child.once("exit", resolve));
    child.kill(signal);
    await ended;
  }

  /** The end of the log, for messages of tests. */
  logged(): string {
    return readFileSync(this.log, "utf8").slice(-5_000);
  }

  /** Bytes of the log so far. */
  logSize(): number {
    return existsSync(this.log) ? statSync(this.log).size : 0;
  }

  /** Lines of the log after so many bytes. */
  loggedFrom(size: number): string[] {
    return readFileSync(this.log).subarray(size).toString("utf8").split("\n");
  }

  async isReady(): Promise<boolean> {
    try {
      const { status } = await fetch(`${this.url}/ready`, { signal: AbortSignal.timeout(2_000) });
      return status === 200;
    } catch {
      return false;
    }
  }
}
