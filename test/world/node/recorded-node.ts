import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { type Anvil, startAnvil } from "../../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, type UnpackedChain, unpackRecordedChain } from "../../../src/cli/demo/recorded-chain.ts";
import { childrenOf, killOrphan } from "../../support/child-processes.ts";
import { freePort } from "../../support/free-port.ts";
import { SVC_PROGRAM } from "../../support/program.ts";
import { asRelease43 } from "./later-release.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));

/** One recorded call and its answer. Without a `result` key the response had none. */
export interface GoldenCase {
  method: string;
  params: unknown[];
  status: number;
  result?: unknown;
  error?: { code: number; message: string };
}

/** The recorded questions with the answers of release 4.3. */
export function goldenCases(): GoldenCase[] {
  const text = gunzipSync(readFileSync(join(root, RECORDED_CHAIN.folder, "golden-v4.jsonl.gz"))).toString("utf8");
  return text
    .trim()
    .split("\n")
    .map((line) => asRelease43(JSON.parse(line)));
}

/** The recorded L1 and its blobs. Many nodes can share it. */
export interface RecordedL1 {
  anvil: Anvil;
  chain: UnpackedChain;
  stop(): void;
}

export async function startRecordedL1(): Promise<RecordedL1> {
  const chain = unpackRecordedChain(root);
  const anvil = await startAnvil(chain.l1State, AbortSignal.timeout(60_000));
  return {
    anvil,
    chain,
    stop: () => {
      anvil.kill();
      chain.remove();
    },
  };
}

/** Longest wait for an answer. */
const ANSWER_MS = 120_000;
/** Longest wait for a process to end. */
const END_MS = 120_000;

/** Name of each thread of a process and what it waits for in the kernel. */
function threadsOf(pid: number): string {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks)
    .map((task) => ["comm", "wchan", "syscall"].map((file) => readFileSync(join(tasks, task, file), "utf8").trim()))
    .map((facts) => facts.join(" "))
    .join("\n");
}

/** The key of every NodeProcess's admin listener. */
export const ADMIN_API_KEY = "5e".repeat(32);

/** Setup calls that the recorded network allows beside the built-in ones: two functions of its token class. */
const TOKEN_CLASS = "0x01efe16b55107894e6b6fb63cebc1a3233e23bbcd648fd9cdf6c0351749ce7ee";
const SETUP_ALLOW_LIST = `C:${TOKEN_CLASS}:0xe7f045ff:os+cl=3,C:${TOKEN_CLASS}:0x8c9e5472:cl=5`;

/** Environment variables that make a node follow the recorded chain. */
export function recordedNetworkEnvironment(l1: { l1Url: string; blobStore: string }): Record<string, string> {
  return {
    ETHEREUM_HOSTS: l1.l1Url,
    L1_CHAIN_ID: String(RECORDED_CHAIN.l1ChainId),
    REGISTRY_CONTRACT_ADDRESS: RECORDED_CHAIN.registryAddress,
    SLASH_FACTORY_CONTRACT_ADDRESS: "0xa85233c63b9ee964add6f2cffe00fd84eb32338f",
    FEE_ASSET_HANDLER_CONTRACT_ADDRESS: "0x959922be3caee4b8cd9a407cc3ac1c251c2007b1",
    TEST_ACCOUNTS: "true",
    SPONSORED_FPC: "true",
    PROVER_REAL_PROOFS: "false",
    PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
    BLOB_FILE_STORE_URLS: l1.blobStore,
    TX_PUBLIC_SETUP_ALLOWLIST: SETUP_ALLOW_LIST,
  };
}

/** A node in its own process that follows the recorded chain. */
export class NodeProcess {
  readonly url: string;
  readonly adminUrl: string;
  readonly dataDirectory: string;
  #child: ChildProcess;
  #log = "";

  private constructor(url: string, adminUrl: string, dataDirectory: string, child: ChildProcess) {
    this.url = url;
    this.adminUrl = adminUrl;
    this.dataDirectory = dataDirectory;
    this.#child = child;
    child.stderr?.on("data", (part: Buffer) => {
      this.#log = (this.#log + part.toString("utf8")).slice(-100_000);
    });
  }

  /** `environment` overrides the variables of the recorded chain. Without a blob store, blobs come from L1. */
  static async start(
    l1: { anvil: Pick<Anvil, "url">; chain: Pick<UnpackedChain, "blobStore"> },
    dataDirectory = mkdtempSync(join(tmpdir(), "svc-node-")),
    environment: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    const network = recordedNetworkEnvironment({ l1Url: l1.anvil.url, blobStore: l1.chain.blobStore });
    return NodeProcess.#spawn("--node", dataDirectory, { ...network, ...environment });
  }

  /** A follower of a node whose feed is at `upstream`, a URL. */
  static async startFollower(
    upstream: string,
    dataDirectory = mkdtempSync(join(tmpdir(), "svc-follower-")),
    environment: Readonly<Record<string, string>> = {},
  ): Promise<NodeProcess> {
    const follower = { FOLLOWER_UPSTREAM_URL: upstream, PROVER_REAL_PROOFS: "false" };
    return NodeProcess.#spawn("--follower", dataDirectory, { ...follower, ...environment });
  }

  static async #spawn(
    mode: "--node" | "--follower",
    dataDirectory: string,
    environment: Readonly<Record<string, string>>,
  ): Promise<NodeProcess> {
    const [port, adminPort] = [await freePort(), await freePort()];
    const child = spawn(process.execPath, ["--disable-warning=ExperimentalWarning", SVC_PROGRAM, "start", mode], {
      cwd: root,
      stdio: ["ignore", "ignore", "pipe"],
      env: {
        PATH: process.env.PATH,
        AZTEC_PORT: String(port),
        AZTEC_ADMIN_PORT: String(adminPort),
        AZTEC_ADMIN_API_KEY_HASH: createHash("sha256").update(ADMIN_API_KEY).digest("hex"),
        SVC_RPC_HOST: "127.0.0.1",
        DATA_DIRECTORY: dataDirectory,
        // Answers were recorded from, and are compared with, release 4.1.2.
        SVC_RPC_REVERT_WORDS: "4.1",
        ...environment,
      },
    });
    return new NodeProcess(`http://127.0.0.1:${port}`, `http://127.0.0.1:${adminPort}`, dataDirectory, child);
  }

  /** The last 100,000 characters of the process's log. */
  get log(): string {
    return this.#log;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  /** Calls `seen` with each further line of the log. */
  onLogLine(seen: (line: string) => void): void {
    if (this.#child.stderr) createInterface(this.#child.stderr).on("line", seen);
  }

  get running(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null;
  }

  /** Calls `node_` plus `method`; returns status and parsed body. */
  ask(method: string, params: unknown[] = []): Promise<{ status: number; body: GoldenCase; text: string }> {
    return this.call(`node_${method}`, params);
  }

  /** Calls a method by its full name, with any value as parameters. */
  async call(method: string, params: unknown): Promise<{ status: number; body: GoldenCase; text: string }> {
    const response = await fetch(this.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const text = await response.text();
    return { status: response.status, body: JSON.parse(text), text };
  }

  /** Waits until the initial sync is done and txs are accepted. Throws if the process ends or the time is over. */
  ready(limitMs = 150_000): Promise<void> {
    return this.#until(() => this.ask("isReady").then(({ body }) => body.result === true), limitMs);
  }

  /** Waits until the initial sync is done, whether txs are accepted or not. */
  synced(limitMs = 150_000): Promise<void> {
    return this.#until(async () => this.#log.includes("initial sync is complete"), limitMs);
  }

  async #until(condition: () => Promise<boolean>, limitMs: number): Promise<void> {
    const end = Date.now() + limitMs;
    while (Date.now() < end) {
      if (!this.running) throw new Error(`the node ended:\n${this.#log.slice(-4000)}`);
      if (await condition().catch(() => false)) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`the node was not there in ${limitMs} ms:\n${this.#log.slice(-4000)}`);
  }

  /** Sends a signal and waits until the process has ended; returns its exit code. Throws if it does not end. */
  async end(signal: "SIGKILL" | "SIGTERM" | "SIGINT"): Promise<number | null> {
    if (!this.running) return this.#child.exitCode;
    const gone = new Promise<number | null>((resolve) => this.#child.once("exit", (code) => resolve(code)));
    this.#child.kill(signal);
    const ended = new AbortController();
    const late = delay(END_MS, "late" as const, { signal: ended.signal }).catch(() => "late" as const);
    const outcome = await Promise.race([gone, late]);
    ended.abort();
    if (outcome !== "late") return outcome;
    const threads = threadsOf(this.pid);
    this.#child.kill("SIGKILL");
    throw new Error(
      `the node did not end ${END_MS} ms after ${signal}; its threads:\n${threads}\n${this.#log.slice(-4000)}`,
    );
  }

  /** Kills the process, and those that it started: they would go on in the folder, and make it again. */
  async remove(): Promise<void> {
    if (this.running) this.#child.kill("SIGSTOP");
    const children = childrenOf(this.pid);
    await this.end("SIGKILL");
    await Promise.all(children.map(killOrphan));
    rmSync(this.dataDirectory, { recursive: true, force: true });
  }
}
