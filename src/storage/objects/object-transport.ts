import { within } from "../../events/within.ts";
import { HttpError } from "../../http/errors.ts";
import { type HttpCall, type HttpReply, openExchange, type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { withRetries } from "../../http/retry.ts";
import { type ObjectOperation, ObjectStoreError } from "./errors.ts";

/** Delays after failed attempts (docs/protocol/04-l1-contracts.md#411-fetching-blobs). */
const RETRY_DELAYS_MS: readonly number[] = [1000, 1000, 3000];
const SILENCE_MS = 20_000;
/** Minimum download rate in bytes per millisecond, not counting the allowed silence. */
const SLOWEST_RATE = 64;
/** Total pauses of a stream, as a multiple of the timeout, in addition to the time of its bytes at the minimum rate. */
const STREAM_PAUSES = 3;
const SMALL_REPLY_BYTES = 1024 * 1024;

type ObjectCall = HttpCall & { method: NonNullable<HttpCall["method"]>; url: URL };

/** Adds authorization headers to a call. Called for each attempt, since signatures contain the time. */
export type Authorize = (call: ObjectCall) => Record<string, string> | Promise<Record<string, string>>;

export interface TransportOptions {
  retryDelaysMs?: readonly number[];
  /**
   * Maximum silence of the server, and maximum time for an object in addition to the transfer time of its bytes.
   * Milliseconds.
   */
  timeoutMs?: number;
}

/**
 * HTTP exchanges with one object store. Adds authorization, retries temporary failures, and converts errors to
 * ObjectStoreError.
 */
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

  async #authorized(call: ObjectCall): Promise<HttpCall> {
    if (this.#authorize === undefined) return call;
    return { ...call, headers: await untilAborted(this.#authorize(call), call.signal) };
  }

  async #translated<T>(operation: ObjectOperation, key: string, work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (error instanceof HttpError) throw this.fail(operation, key, error.message, error);
      throw error;
    }
  }

  #retries(signal: AbortSignal | undefined) {
    return { delaysMs: this.retryDelaysMs, withinMs: this.#silenceMs, signal };
  }

  /** One exchange with the whole body. Retries temporary statuses; any other status is returned. */
  whole(operation: ObjectOperation, key: string, call: ObjectCall, maxBytes = SMALL_REPLY_BYTES): Promise<WholeReply> {
    const attempt = () => this.wholeOnce(call, maxBytes);
    return this.#translated(operation, key, withRetries(attempt, this.#retries(call.signal)));
  }

  /** One exchange without retries. Failures are HttpErrors, for callers that handle them themselves. */
  async wholeOnce(call: ObjectCall, maxBytes = SMALL_REPLY_BYTES): Promise<WholeReply> {
    const totalMs = this.#silenceMs;
    return wholeExchange(await this.#authorized(call), { totalMs, slowestRate: SLOWEST_RATE, maxBytes });
  }

  /** One exchange whose body is streamed. Failures of the body are HttpErrors. */
  stream(operation: ObjectOperation, key: string, call: ObjectCall): Promise<HttpReply> {
    const silenceMs = this.#silenceMs;
    const limits = { silenceMs, totalMs: STREAM_PAUSES * silenceMs, slowestRate: SLOWEST_RATE };
    const attempt = async () => openExchange(await this.#authorized(call), limits);
    return this.#translated(operation, key, withRetries(attempt, this.#retries(call.signal)));
  }
}

/** Waits for `work` until `signal` is aborted. `work` itself continues, since others may share it. */
async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  try {
    return await within(Promise.resolve(work), { signal });
  } catch (error) {
    throw signal?.aborted ? new HttpError("aborted", "stopped by the caller") : error;
  }
}
