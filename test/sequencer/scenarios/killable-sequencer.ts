import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { freePort } from "../../support/free-port.ts";
import { NODE_OPTIONS } from "../../support/program.ts";
import { recordedNetworkEnvironment } from "../../world/node/recorded-node.ts";
import { type ControlledL1, PUBLISHER_KEY } from "../../world/sequencer/l1-control.ts";
import type { LogLine } from "../../world/sequencer/proposing-node.ts";

/** A sequencing node in a child process, whose log is read line by line. */
export class KillableSequencer {
  readonly url: string;
  readonly log: LogLine[] = [];
  readonly #child: ChildProcess;
  readonly #watchers = new Set<(line: LogLine) => void>();
  readonly #gone: Promise<void>;

  private constructor(url: string, child: ChildProcess) {
    this.url = url;
    this.#child = child;
    this.#gone = new Promise((resolve) => child.once("close", () => resolve()));
    if (child.stderr === null) throw new Error("the process has no log");
    createInterface(child.stderr).on("line", (text) => {
      if (!text.startsWith("{")) return;
      const line: LogLine = JSON.parse(text);
      this.log.push(line);
      for (const watcher of this.#watchers) watcher(line);
    });
  }

  /** Resolves once the node answers requests. */
  static async start(l1: ControlledL1, dataDirectory: string): Promise<KillableSequencer> {
    const [port, adminPort] = [await freePort(), await freePort()];
    const environment = {
      ...recordedNetworkEnvironment({ l1Url: l1.url, blobStore: l1.recorded.chain.blobStore }),
      // A kill may come before blobs are uploaded, so blobs are read from L1.
      BLOB_FILE_STORE_URLS: "",
      AZTEC_PORT: String(port),
      AZTEC_ADMIN_PORT: String(adminPort),
      SVC_RPC_THREADS: "0",
      P2P_MIN_TX_POOL_AGE_MS: "0",
      ARCHIVER_POLLING_INTERVAL_MS: "50",
      SEQ_POLLING_INTERVAL_MS: "50",
      SEQ_PUBLISHER_PRIVATE_KEY: PUBLISHER_KEY,
      DATA_DIRECTORY: dataDirectory,
    };
    const program = fileURLToPath(new URL("./sequencer-process.ts", import.meta.url));
    const node = [...NODE_OPTIONS, program, JSON.stringify(environment)];
    const child = spawn(process.execPath, node, { stdio: ["ignore", "pipe", "pipe"] });
    const sequencer = new KillableSequencer(`http://127.0.0.1:${port}`, child);
    await new Promise<void>((resolve, reject) => {
      child.stdout?.once("data", () => resolve());
      child.once("exit", () => reject(new Error(`the process ended: ${JSON.stringify(sequencer.log.slice(-5))}`)));
    });
    return sequencer;
  }

  /** Resolves with the first future line that `matches`. */
  line(matches: (line: LogLine) => boolean): Promise<LogLine> {
    return new Promise((resolve) => {
      const watcher = (line: LogLine): void => {
        if (!matches(line)) return;
        this.#watchers.delete(watcher);
        resolve(line);
      };
      this.#watchers.add(watcher);
    });
  }

  async rpc<T>(method: string, params: unknown[] = []): Promise<T> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: T; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }

  async kill(): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#gone;
  }
}
