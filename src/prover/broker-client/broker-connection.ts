import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import { HttpError } from "../../http/errors.ts";
import { type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { isTemporary, withRetries } from "../../http/retry.ts";
import { JsonError, parseJson } from "../../json/parse-json.ts";
import type { ContractRules } from "../../protocol/generations/contracts.ts";
import { Slots } from "../slots.ts";
import { BrokerRefusalError, BrokerUnavailableError, BrokerVersionError } from "./errors.ts";

/** Parameters of this many characters and more are compressed, except to this machine. */
const COMPRESSED_FROM = 1024;
/** Bodies made and compressed at one time: as many as the runtime compresses on threads. Each takes 0.3 MiB. */
const COMPRESSING = 4;
/** Of an answer once decompressed: the largest input of a job is below 2 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Long polling holds an answer back for a second. */
const ANSWER_MS = 30_000;
/** As the released agents wait: 1, 2 and then 3 s, 12 attempts in all. */
const RETRY_DELAYS_MS = [1000, 2000, ...Array.from({ length: 9 }, () => 3000)];

/** Of a broker, and of a node that has one in its process, which serves only the methods for agents. */
type BrokerNamespace = "proverBroker" | "provingJobSource";

interface RequestBody {
  readonly bytes: Uint8Array;
  /** Length before it was compressed. */
  readonly length: number;
  readonly compressed: boolean;
}

interface BrokerConnectionOptions {
  url: string;
  /** What the broker's circuits must be of. */
  contracts: Pick<ContractRules, "vkTreeRoot" | "protocolContractsHash">;
  /** For a broker that demands one. */
  apiKey?: string;
  /** Delays between attempts in milliseconds; those of the released agents by default. */
  retryDelaysMs?: readonly number[];
  /** Ends calls in progress. */
  signal?: AbortSignal;
}

/** JSON-RPC to a proving broker. Temporary failures are retried. */
export class BrokerConnection {
  readonly #url: URL;
  readonly #apiKey: string | undefined;
  readonly #compresses: boolean;
  /** A missing header is accepted; one of another release is not. */
  readonly #expectedHeaders: Readonly<Record<string, string>>;
  readonly #retryDelaysMs: readonly number[];
  readonly #signal: AbortSignal | undefined;
  readonly #compressing = new Slots(COMPRESSING);
  #namespace: BrokerNamespace = "proverBroker";
  #lastId = 0;

  constructor({ url, contracts, apiKey, retryDelaysMs = RETRY_DELAYS_MS, signal }: BrokerConnectionOptions) {
    this.#expectedHeaders = {
      "x-aztec-l2CircuitsVkTreeRoot": contracts.vkTreeRoot,
      "x-aztec-l2ProtocolContractsHash": contracts.protocolContractsHash,
    };
    this.#url = new URL(url);
    // A path in the URL is ignored, as the released clients do.
    this.#url.pathname = "/";
    this.#apiKey = apiKey;
    this.#compresses = !/^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(this.#url.hostname);
    this.#retryDelaysMs = retryDelaysMs;
    this.#signal = signal;
  }

  /**
   * The `result` of a call, unchecked; undefined if there is none or null. Rejects with a BrokerUnavailableError,
   * BrokerRefusalError or BrokerVersionError.
   */
  call(method: string, params: readonly unknown[]): Promise<unknown> {
    const json = JSON.stringify(params);
    return this.#call(method, [json], json.length >= COMPRESSED_FROM);
  }

  /** From now on calls methods as those of a node, or as those of a broker again. */
  changeNamespace(): void {
    this.#namespace = this.#namespace === "proverBroker" ? "provingJobSource" : "proverBroker";
  }

  /** `call` with the JSON of long parameters in pieces, which are compressed one by one instead of held together. */
  callInPieces(method: string, params: Iterable<string>): Promise<unknown> {
    return this.#call(method, params, true);
  }

  async #call(method: string, params: Iterable<string>, isLong: boolean): Promise<unknown> {
    const id = ++this.#lastId;
    const pieces = requestInPieces(id, `${this.#namespace}_${method}`, params);
    const body =
      isLong && this.#compresses ? await this.#compressing.run(() => compressedBody(pieces)) : plainBody(pieces);
    const reply = await this.#post(body);
    for (const [header, expected] of Object.entries(this.#expectedHeaders)) {
      const actual = reply.headers.get(header);
      if (actual !== null && actual !== expected) throw new BrokerVersionError(header, expected, actual);
    }
    return resultOf(method, answerWithId(reply, id));
  }

  async #post({ bytes, length, compressed }: RequestBody): Promise<WholeReply> {
    const headers = {
      "content-type": "application/json",
      "accept-encoding": this.#compresses ? "gzip" : "identity",
      ...(compressed && { "content-encoding": "gzip" }),
      ...(this.#apiKey !== undefined && { "x-api-key": this.#apiKey }),
    };
    const attempt = async () => {
      const reply = await wholeExchange(
        { method: "POST", url: this.#url, headers, body: bytes, signal: this.#signal },
        { totalMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES },
      );
      requireRoomFor(length, reply);
      return reply;
    };
    const delaysMs = this.#retryDelaysMs;
    const withinMs = delaysMs.reduce((sum, delay) => sum + delay, 0) + ANSWER_MS;
    let reply: WholeReply;
    try {
      reply = await withRetries(attempt, { delaysMs, withinMs, signal: this.#signal });
    } catch (error) {
      if (!(error instanceof HttpError)) throw error;
      throw new BrokerUnavailableError(error.message, { cause: error });
    }
    if (reply.status !== 200) {
      throw new BrokerUnavailableError(`the broker answered with HTTP status ${reply.status}${refusalIn(reply)}`, {
        permanent: !isTemporary(reply.status),
      });
    }
    return reply;
  }
}

function* requestInPieces(id: number, method: string, params: Iterable<string>): Generator<string> {
  // A batch of one: errors of methods then come with status 200, so that only faults of the transport are retried.
  yield `[{"jsonrpc":"2.0","id":${id},"method":"${method}","params":`;
  yield* params;
  yield "}]";
}

function plainBody(pieces: Iterable<string>): RequestBody {
  const bytes = Buffer.concat(Array.from(pieces, (piece) => Buffer.from(piece)));
  return { bytes, length: bytes.length, compressed: false };
}

async function compressedBody(pieces: Iterable<string>): Promise<RequestBody> {
  const gzip = createGzip();
  const parts: Uint8Array[] = [];
  await pipeline(Readable.from(pieces), gzip, async (compressed: AsyncIterable<Uint8Array>) => {
    for await (const part of compressed) parts.push(part);
  });
  return { bytes: Buffer.concat(parts), length: gzip.bytesWritten, compressed: true };
}

/** The reference's broker refuses a body above its limit with status 500, as if another attempt could help. */
function requireRoomFor(bytes: number, reply: WholeReply): void {
  if (reply.status < 400 || (reply.status !== 413 && !refusalIn(reply).includes("entity too large"))) return;
  const rule = `the broker takes no request of ${bytes} bytes: raise its RPC_MAX_BODY_SIZE`;
  throw new BrokerUnavailableError(rule, { permanent: true });
}

/** The message of a JSON-RPC error. */
function refusalIn({ body }: WholeReply): string {
  try {
    const { error } = parseJson(body) as { error?: { message?: unknown } };
    return typeof error?.message === "string" ? `: ${error.message.slice(0, 200)}` : "";
  } catch {
    return "";
  }
}

/** The answer in a batch of one. */
function answerWithId({ body }: WholeReply, id: number): Record<string, unknown> {
  let parsed: unknown;
  try {
    parsed = parseJson(body);
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new BrokerUnavailableError(`the broker's answer ${error.message}`);
  }
  const [answer] = Array.isArray(parsed) ? parsed : [parsed];
  if (typeof answer !== "object" || answer === null || answer.id !== id) {
    throw new BrokerUnavailableError("the broker's answer is not one to the call");
  }
  return answer as Record<string, unknown>;
}

function resultOf(method: string, { result, error }: Record<string, unknown>): unknown {
  if (error === undefined || error === null) return result ?? undefined;
  const { code, message } = error as { code?: unknown; message?: unknown };
  throw new BrokerRefusalError(
    method,
    typeof code === "number" ? code : 0,
    typeof message === "string" ? message.slice(0, 300) : "no message",
  );
}
