import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { extract } from "tar";
import { unpacked } from "../../support/unpacked.ts";
import { StatesBetween } from "./states-between.ts";

type Text = `0x${string}`;
type Block = { number: Text; hash: Text; timestamp: Text; transactions: Text[] } & Record<string, unknown>;
type Log = { address: Text; topics: Text[]; data: Text; blockNumber: Text } & Record<string, unknown>;
type Answer = Text | { error: { code: number; message: string; data?: Text } };

/** Files of a recording: its L1, compressed by gzip or brotli, and its blobs, a tar of a file store. */
export interface RecordingFiles {
  record: string;
  blobs: string;
}

/** What `record` holds. */
interface Recording {
  chainId: number;
  blocks: Block[];
  logs: Log[];
  transactions: Record<string, Record<string, unknown> & { blockNumber: Text }>;
  /** By lower-case `contract:calldata`, then by number of the block, or `latest` for the last one, or `always`. */
  calls: Record<string, Record<string, Answer>>;
  /** By lower-case `contract:slot`, the slot in decimal. */
  storage?: Record<string, Text>;
  contracts: string[];
}

interface Call {
  to: string;
  data?: string;
  input?: string;
}
interface LogFilter {
  address?: string | string[];
  topics?: (string | string[] | null)[];
  fromBlock?: string;
  toBlock?: string;
  blockHash?: string;
}

class AnswerError extends Error {
  readonly code: number;
  readonly data: string | undefined;
  constructor(message: string, code = -32000, data?: string) {
    super(message);
    this.code = code;
    this.data = data;
  }
}

/** Chains of test/fixtures/v5, and the registries of their L1. */
export const V5_CHAINS = {
  chain: "0x610178da211fef7d417bc0e6fed39f05609ad788",
  "pruned-chain": "0x610178da211fef7d417bc0e6fed39f05609ad788",
} as const;
export type V5Chain = keyof typeof V5_CHAINS;

/**
 * An L1 that answers from a recording, without any contract: what was not recorded is an error that says so. `until`
 * hides all blocks after one; what the rollup says there follows from its logs.
 */
export class ServedRecording {
  readonly url: string;
  /** Folder of the recorded blobs, which `stop` removes. */
  readonly blobStore: string;
  readonly #folder: string;
  readonly #server: Server;
  readonly #recording: Recording;
  readonly #blocks: Map<number, Block>;
  /** The last recorded block. */
  readonly last: number;
  readonly #between: StatesBetween;
  until: number;
  /** Answers, whatever the arguments and the block, by selector. */
  readonly answers = new Map<string, Text>();
  /** How often the latest block was asked for. */
  headsAsked = 0;

  private constructor(recording: Recording, server: Server, folder: string) {
    this.#recording = recording;
    this.#server = server;
    this.#folder = folder;
    this.blobStore = join(folder, "blobs");
    this.#blocks = new Map(recording.blocks.map((block) => [Number(block.number), block]));
    this.last = Math.max(...this.#blocks.keys());
    this.until = this.last;
    this.#between = new StatesBetween({
      ...recording,
      atEnd: (contract, calldata) => {
        const { latest, always = latest } =
          recording.calls[`${contract.toLowerCase()}:${calldata.toLowerCase()}`] ?? {};
        return typeof always === "string" ? always : undefined;
      },
    });
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  }

  /** `texts` are replaced wherever the recording has them, for another genesis or other circuits. */
  static start(chain: V5Chain, texts: readonly [from: string, to: string][] = []): Promise<ServedRecording> {
    const fixture = (name: string) => fileURLToPath(new URL(`../../fixtures/v5/${chain}/${name}`, import.meta.url));
    return ServedRecording.of({ record: fixture("l1-record.json.br"), blobs: fixture("blob-store.tar.gz") }, texts);
  }

  static async of(
    { record, blobs }: RecordingFiles,
    texts: readonly [from: string, to: string][] = [],
  ): Promise<ServedRecording> {
    const replaced = texts.reduce((text, [from, to]) => text.replaceAll(from, to), unpacked(record));
    const recording: Recording = JSON.parse(replaced);
    const folder = mkdtempSync(join(tmpdir(), "v5-chain-"));
    mkdirSync(join(folder, "blobs"));
    extract({ file: blobs, cwd: join(folder, "blobs"), sync: true, strict: true });
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const served = new ServedRecording(recording, server, folder);
    server.on("request", (request, response) => {
      const parts: Buffer[] = [];
      request.on("data", (part: Buffer) => parts.push(part));
      request.on("end", () => {
        const body = JSON.parse(Buffer.concat(parts).toString("utf8"));
        const answer = Array.isArray(body) ? body.map((call) => served.#answer(call)) : served.#answer(body);
        response.setHeader("content-type", "application/json").end(JSON.stringify(answer));
      });
    });
    return served;
  }

  /** The L1 block of the first log whose first topic is `topic`. */
  firstOf(topic: string): number {
    return Math.min(
      ...this.#recording.logs.filter(({ topics }) => topics[0] === topic).map((log) => Number(log.blockNumber)),
    );
  }

  /** Seconds since 1970 of the last recorded block. */
  get lastTimestamp(): number {
    return Number(this.#blocks.get(this.last)!.timestamp);
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #answer({ id, method, params }: { id: unknown; method: string; params: unknown[] }) {
    try {
      return { jsonrpc: "2.0", id, result: this.#result(method, params) ?? null };
    } catch (error) {
      if (!(error instanceof AnswerError)) throw error;
      const { code, message, data } = error;
      return { jsonrpc: "2.0", id, error: { code, message, data } };
    }
  }

  #result(method: string, params: unknown[]): unknown {
    switch (method) {
      case "eth_chainId":
        return `0x${this.#recording.chainId.toString(16)}`;
      case "eth_blockNumber":
        return `0x${this.until.toString(16)}`;
      case "eth_getBlockByNumber":
        return this.#block(params[0] as string);
      case "eth_getTransactionByHash": {
        const found = this.#recording.transactions[params[0] as string];
        return found !== undefined && Number(found.blockNumber) <= this.until ? found : undefined;
      }
      case "eth_getCode":
        return this.#recording.contracts.includes((params[0] as string).toLowerCase()) ? "0x00" : "0x";
      case "eth_getStorageAt": {
        const at = `${(params[0] as string).toLowerCase()}:${BigInt(params[1] as string)}`;
        return this.#recording.storage?.[at] ?? this.#missing(`storage ${at}`);
      }
      case "eth_getLogs":
        return this.#logs(params[0] as LogFilter);
      case "eth_call":
        return this.#call(params[0] as Call, params[1] as string);
      default:
        throw new AnswerError(`Method not found: ${method}`, -32601);
    }
  }

  #missing(what: string): never {
    throw new AnswerError(`not recorded: ${what}`);
  }

  #number(tag: string | undefined): number {
    if (tag === undefined || tag === "latest" || tag === "pending") return this.until;
    // As anvil has them: two and one epochs of 32 blocks behind.
    if (tag === "finalized") return Math.max(0, this.until - 64);
    if (tag === "safe") return Math.max(0, this.until - 32);
    return tag === "earliest" ? 0 : Number(tag);
  }

  #block(tag: string): Block | undefined {
    if (tag === "latest") this.headsAsked++;
    const number = this.#number(tag);
    return number <= this.until ? this.#blocks.get(number) : undefined;
  }

  #logs({ address, topics = [], fromBlock, toBlock, blockHash }: LogFilter): Log[] {
    const of = blockHash === undefined ? undefined : this.#recording.blocks.find(({ hash }) => hash === blockHash);
    const from = of === undefined ? this.#number(fromBlock) : Number(of.number);
    const to = of === undefined ? Math.min(this.#number(toBlock), this.until) : from;
    const addresses = address === undefined ? undefined : [address].flat().map((text) => text.toLowerCase());
    const fits = (topic: string | undefined, wanted: string | string[] | null) =>
      wanted === null || [wanted].flat().includes(topic ?? "");
    return this.#recording.logs.filter((log) => {
      const number = Number(log.blockNumber);
      if (number < from || number > to || addresses?.includes(log.address.toLowerCase()) === false) return false;
      return topics.every((wanted, i) => fits(log.topics[i], wanted));
    });
  }

  #call({ to, data, input }: Call, tag: string): Text {
    const calldata = (data ?? input ?? "").toLowerCase();
    const fixed = this.answers.get(calldata.slice(0, 10));
    if (fixed !== undefined) return fixed;
    const what = `eth_call ${to} ${calldata.slice(0, 10)}`;
    const known = this.#recording.calls[`${to.toLowerCase()}:${calldata}`];
    const number = this.#number(tag);
    if (number > this.until) throw new AnswerError(`no block ${number} yet`);
    const told = known?.[number] ?? (number === this.last ? known?.latest : undefined) ?? known?.always;
    const answer = told ?? this.#between.answer(to.toLowerCase(), calldata as Text, number);
    if (answer === undefined) this.#missing(`${what} at block ${number}`);
    if (typeof answer === "string") return answer;
    throw new AnswerError(answer.error.message, answer.error.code, answer.error.data);
  }
}
