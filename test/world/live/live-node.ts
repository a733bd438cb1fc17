import { type ChildProcess, spawn } from "node:child_process";
import { openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ENR } from "@chainsafe/enr";
import { call, until } from "./json-rpc.ts";
import { peersOf } from "./reference-network.ts";

const MAIN = join(import.meta.dirname, "..", "..", "..", "src", "cli", "main.ts");

export interface LiveNodeOptions {
  name: string;
  /** Data and log are kept here; a node that is started again finds its data. */
  folder: string;
  /** P2P port; JSON-RPC and admin listen on the two ports after it. */
  port: number;
  /** Arguments of `svc start`. */
  args: readonly string[];
  environment: Readonly<Record<string, string>>;
}

/** A process of svc among reference nodes. */
export class LiveNode {
  readonly options: LiveNodeOptions;
  readonly url: string;
  readonly log: string;
  #child: ChildProcess | undefined;

  constructor(options: LiveNodeOptions) {
    this.options = options;
    this.url = `http://127.0.0.1:${options.port + 1}`;
    this.log = join(options.folder, `${options.name}.log`);
  }

  start(): void {
    const { name, folder, port, args, environment } = this.options;
    const log = openSync(this.log, "a");
    this.#child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, "start", ...args], {
      stdio: ["ignore", log, log],
      env: {
        PATH: process.env.PATH,
        TMPDIR: process.env.TMPDIR,
        LOG_LEVEL: "debug",
        LOG_JSON: "1",
        DATA_DIRECTORY: join(folder, name),
        P2P_PORT: String(port),
        AZTEC_PORT: String(port + 1),
        AZTEC_ADMIN_PORT: String(port + 2),
        SVC_RPC_HOST: "127.0.0.1",
        ...environment,
      },
    });
  }

  get pid(): number {
    return this.#child?.pid ?? 0;
  }

  get isRunning(): boolean {
    return this.#child !== undefined && this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Resolves with the exit code once the process has ended. */
  async end(signal: "SIGKILL" | "SIGTERM"): Promise<number | null> {
    const child = this.#child;
    if (child === undefined || !this.isRunning) return child?.exitCode ?? null;
    const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
    child.kill(signal);
    return ended;
  }

  /** Lines of the log, of all starts. */
  lines(): string[] {
    return readFileSync(this.log, "utf8").split("\n");
  }

  enr(): Promise<string> {
    const ask = () => call(this.url, "node_getEncodedEnr") as Promise<string>;
    return until(`the record of ${this.options.name}`, 120_000, ask);
  }

  /** Its peer id. */
  async id(): Promise<string> {
    return ENR.decodeTxt(await this.enr()).peerId.toString();
  }

  /** Resolves with the seconds it took to be connected to all of `ids`. */
  async connectedTo(ids: readonly string[]): Promise<number> {
    const from = Date.now();
    await until(`${this.options.name} connects to ${ids.length} peers`, 180_000, async () => {
      const peers = await peersOf(this.url);
      return ids.every((id) => peers.has(id));
    });
    return (Date.now() - from) / 1000;
  }
}
