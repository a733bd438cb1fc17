import { createHash } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { configure } from "../../../src/config/configuration.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import type { Values } from "../../../src/config/options.ts";
import { type ChainParts, type RunningNode, startNode } from "../../../src/node/node.ts";
import { openDataDirectory } from "../../../src/process/data-directory.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { type L1Constants, slotTimestamp } from "../../../src/protocol/time.ts";
import type { Sequencer } from "../../../src/sequencer/sequencer.ts";
import { ADMIN_API_KEY, recordedNetworkEnvironment } from "../node/recorded-node.ts";
import type { ControlledL1 } from "./l1-control.ts";

export interface LogLine {
  level: number;
  module: string;
  msg: string;
  [fact: string]: unknown;
}

/** Maximum wait for the chain to advance. */
const PATIENCE_MS = 120_000;

export async function until<T>(probe: () => T | undefined | false | Promise<T | undefined | false>): Promise<T> {
  const end = Date.now() + PATIENCE_MS;
  for (;;) {
    const found = await probe();
    if (found !== undefined && found !== false) return found;
    if (Date.now() > end) throw new Error("it did not come to pass in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** First slot that begins at least a minute after a timestamp, so that L1 can be moved to its start. */
export function slotAfter(timestamp: number, c: L1Constants): number {
  return Math.floor((timestamp - c.l1GenesisTime) / c.slotDuration) + 1;
}

/** A node in this process on the recorded L1. Its clock follows L1's time. */
export class ProposingNode {
  readonly log: LogLine[] = [];
  readonly #dataDirectory: string;
  readonly #l1: ControlledL1;
  readonly #environment: Record<string, string>;
  #node!: RunningNode;
  #parts!: ChainParts;
  #release: () => void = () => {};

  private constructor(l1: ControlledL1, environment: Record<string, string>) {
    this.#l1 = l1;
    this.#environment = environment;
    this.#dataDirectory = mkdtempSync(join(tmpdir(), "svc-proposing-"));
  }

  static async start(l1: ControlledL1, environment: Record<string, string> = {}): Promise<ProposingNode> {
    const node = new ProposingNode(l1, environment);
    await node.#start();
    return node;
  }

  async #start(): Promise<void> {
    const environment = {
      ...recordedNetworkEnvironment({ l1Url: this.#l1.url, blobStore: this.#l1.recorded.chain.blobStore }),
      AZTEC_PORT: "0",
      AZTEC_ADMIN_PORT: "0",
      AZTEC_ADMIN_API_KEY_HASH: createHash("sha256").update(ADMIN_API_KEY).digest("hex"),
      SVC_RPC_THREADS: "0",
      P2P_MIN_TX_POOL_AGE_MS: "0",
      ARCHIVER_POLLING_INTERVAL_MS: "50",
      SEQ_POLLING_INTERVAL_MS: "50",
      DATA_DIRECTORY: this.#dataDirectory,
      ...this.#environment,
    };
    const { values } = configure({ flags: new Map(), environment });
    const directory = openDataDirectory(this.#dataDirectory, () => {});
    this.#release = () => directory.release();
    this.#node = await startNode({
      values: {
        ...(values as Values & { registryAddress: string }),
        sequencer: "SEQ_PUBLISHER_PRIVATE_KEY" in environment,
      },
      directory,
      version: "0.0.0",
      loggerFor: createLogging({
        filter: parseLogFilter("debug"),
        json: true,
        secrets: [],
        write: (line) => void this.log.push(JSON.parse(line)),
      }),
      signal: new AbortController().signal,
      beforeListening: async (parts) => {
        this.#parts = parts;
        await this.followClock();
      },
    });
    await this.#node.synced();
  }

  /** Sets the node's clock to L1's latest block. */
  async followClock(): Promise<void> {
    const { timestamp } = await this.#l1.latest();
    this.#parts.clock.set(timestamp * 1000);
    this.#parts.synchronizer.poke();
    this.#parts.sequencer?.wake();
  }

  get parts(): ChainParts {
    return this.#parts;
  }

  get constants(): L1Constants {
    return this.#parts.reader.identity.constants;
  }

  get sequencer(): Sequencer {
    return this.#parts.sequencer as Sequencer;
  }

  get url(): string {
    return `http://127.0.0.1:${this.#node.port}`;
  }

  async rpc<T>(method: string, params: unknown[] = []): Promise<T> {
    return (await this.#ask(this.#node.port, method, params, {})) as T;
  }

  async admin<T>(method: string, params: unknown[] = []): Promise<T> {
    return (await this.#ask(this.#node.adminPort, method, params, { "x-api-key": ADMIN_API_KEY })) as T;
  }

  async #ask(port: number, method: string, params: unknown[], headers: Record<string, string>): Promise<unknown> {
    const response = await fetch(`http://127.0.0.1:${port}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: unknown; error?: { message: string } };
    if (error) throw new Error(error.message);
    return result;
  }

  /** Moves L1 and the node's clock to the start of the next slot. Returns the slot. */
  async nextSlot(): Promise<number> {
    await this.#l1.proveAll(this.#parts.reader.identity.addresses.rollupAddress);
    const { timestamp } = await this.#l1.latest();
    // anvil accepts no timestamp before the machine's time.
    const slot = slotAfter(Math.max(timestamp, Date.now() / 1000), this.constants);
    await this.#l1.warpTo(slotTimestamp(slot, this.constants));
    await this.followClock();
    return slot;
  }

  /** Log lines with the given message. */
  lines(msg: string): LogLine[] {
    return this.log.filter((line) => line.msg === msg);
  }

  async stop(): Promise<void> {
    await this.#node.stop();
    this.#release();
  }

  /** Stops the node and starts it again on its data directory. */
  async restart(): Promise<void> {
    await this.stop();
    await this.#start();
  }

  async remove(): Promise<void> {
    await this.stop();
    rmSync(this.#dataDirectory, { recursive: true, force: true });
  }
}
