import { type ObjectOperation, ObjectStoreError } from "./errors.ts";
import {
  type HttpCall,
  HttpExchangeError,
  type HttpReply,
  openExchange,
  type WholeReply,
  wholeExchange,
  withRetries,
} from "./http-exchange.ts";

/** Waits after a failed exchange (sheet 04 section 4.6). */
const RETRY_DELAYS_MS: readonly number[] = [1000, 1000, 3000];
const SILENCE_MS = 20_000;
const SMALL_REPLY_BYTES = 1024 * 1024;

/** Headers to send with a call: those given and what proves the right to make it. Made for each attempt, since signatures carry the time. */
export type Authorize = (call: HttpCall) => Record<string, string> | Promise<Record<string, string>>;

export interface TransportOptions {
  retryDelaysMs?: readonly number[];
  /** How long a server may be silent. */
  timeoutMs?: number;
}

/** The exchanges of one HTTP object store: authorized, repeated while they fail for the moment, failures told as ObjectStoreErrors. */
export class ObjectTransport {
  readonly name: string;
  readonly retryDelaysMs: readonly number[];
  readonly #silenceMs: number;
  readonly #authorize: Authorize | undefined;

  constructor(name: string, options: TransportOptions = {}, authorize?: Authorize) {
    this.name = name;
    this.retryDelaysMs = options.retryDelaysMs ?? RETRY_DELAYS_MS;
    this.#silenceMs = options.timeoutMs ?? SILENCE_MS;
    this.#authorize = authorize;
  }

  fail(operation: ObjectOperation, key: string, rule: string, cause?: unknown): ObjectStoreError {
    return new ObjectStoreError({ store: this.name, operation, key }, rule, { cause });
  }

  async #authorized(call: HttpCall): Promise<HttpCall> {
    return this.#authorize === undefined ? call : { ...call, headers: await this.#authorize(call) };
  }

  async #translated<T>(operation: ObjectOperation, key: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof HttpExchangeError) throw this.fail(operation, key, error.message, error);
      throw error;
    }
  }

  /** One exchange read to the end; any status that does not pass is an answer. */
  whole(operation: ObjectOperation, key: string, call: HttpCall, maxBytes = SMALL_REPLY_BYTES): Promise<WholeReply> {
    const attempt = async () => wholeExchange(await this.#authorized(call), this.#silenceMs, maxBytes);
    return this.#translated(operation, key, withRetries(attempt, this.retryDelaysMs, call.signal));
  }

  /** One exchange without retries whose failures stay HttpExchangeErrors, for callers that know how to go on. */
  async wholeOnce(call: HttpCall): Promise<WholeReply> {
    return wholeExchange(await this.#authorized(call), this.#silenceMs, SMALL_REPLY_BYTES);
  }

  /** The head of an answer, its body still to come; the body's failures stay HttpExchangeErrors. */
  stream(operation: ObjectOperation, key: string, call: HttpCall): Promise<HttpReply> {
    const attempt = async () => openExchange(await this.#authorized(call), this.#silenceMs);
    return this.#translated(operation, key, withRetries(attempt, this.retryDelaysMs, call.signal));
  }
}
