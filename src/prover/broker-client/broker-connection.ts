import { promisify } from "node:util";
import { gzip as gzipWithCallback } from "node:zlib";
import { HttpError } from "../../http/errors.ts";
import { type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { JsonError, parseJson } from "../../http/json.ts";
import { isTemporary, withRetries } from "../../http/retry.ts";
import { PROTOCOL_CONTRACTS_HASH, VK_TREE_ROOT } from "../../protocol/constants.ts";
import { BrokerRefusalError, BrokerUnavailableError, BrokerVersionError } from "./errors.ts";

const gzip = promisify(gzipWithCallback);

/** Bodies of this many bytes and more are compressed, except to this machine. */
const COMPRESSED_FROM = 1024;
/** Of an answer once decompressed: the largest input of a job is below 2 MiB. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Long polling holds an answer back for a second. */
const ANSWER_MS = 30_000;
/** As the released agents wait: 1, 2 and then 3 s, 12 attempts in all. */
const RETRY_DELAYS_MS = [1000, 2000, ...Array.from({ length: 9 }, () => 3000)];

/** A missing header is accepted; one of another release is not. */
const EXPECTED_HEADERS = {
  "x-aztec-l2CircuitsVkTreeRoot": VK_TREE_ROOT,
  "x-aztec-l2ProtocolContractsHash": PROTOCOL_CONTRACTS_HASH,
} as const;

export interface BrokerConnectionOptions {
  url: string;
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
  readonly #retryDelaysMs: readonly number[];
  readonly #signal: AbortSignal | undefined;
  #lastId = 0;

  constructor({ url, apiKey, retryDelaysMs = RETRY_DELAYS_MS, signal }: BrokerConnectionOptions) {
    this.#url = new URL(url);
    // A path in the URL is ignored, as the released clients do.
    this.#url.pathname = "/";
    this.#apiKey = apiKey;
    this.#compresses = !/^(localhost|127(\.[0-9]+){3}|\[::1\])$/.test(this.#url.hostname);
    this.#retryDelaysMs = retryDelaysMs;
    this.#signal = signal;
  }

  /**
   * The `result` of a call, unchecked; undefined if there is none or null. Throws a BrokerUnavailableError,
   * BrokerRefusalError or BrokerVersionError.
   */
  async call(method: string, params: readonly unknown[]): Promise<unknown> {
    const id = ++this.#lastId;
    // A batch of one: errors of methods then come with status 200, so that only faults of the transport are retried.
    const body = Buffer.from(JSON.stringify([{ jsonrpc: "2.0", id, method: `proverBroker_${method}`, params }]));
    const reply = await this.#post(body);
    for (const [header, expected] of Object.entries(EXPECTED_HEADERS)) {
      const actual = reply.headers.get(header);
      if (actual !== null && actual !== expected) throw new BrokerVersionError(header, expected, actual);
    }
    return resultOf(method, answerWithId(reply, id));
  }

  async #post(plain: Uint8Array): Promise<WholeReply> {
    const compressed = this.#compresses && plain.length >= COMPRESSED_FROM;
    const body = compressed ? await gzip(plain) : plain;
    const headers = {
      "content-type": "application/json",
      "accept-encoding": this.#compresses ? "gzip" : "identity",
      ...(compressed && { "content-encoding": "gzip" }),
      ...(this.#apiKey !== undefined && { "x-api-key": this.#apiKey }),
    };
    const attempt = async () => {
      const reply = await wholeExchange(
        { method: "POST", url: this.#url, headers, body, signal: this.#signal },
        { totalMs: ANSWER_MS, maxBytes: MAX_ANSWER_BYTES },
      );
      requireRoomFor(plain, reply);
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

/** The reference's broker refuses a body above its limit with status 500, as if another attempt could help. */
function requireRoomFor(body: Uint8Array, reply: WholeReply): void {
  if (reply.status < 400 || (reply.status !== 413 && !refusalIn(reply).includes("entity too large"))) return;
  const rule = `the broker takes no request of ${body.length} bytes: raise its RPC_MAX_BODY_SIZE`;
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
