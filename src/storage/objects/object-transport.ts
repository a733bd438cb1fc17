import { HttpError } from "../../http/errors.ts";
import { type HttpCall, type HttpReply, openExchange, type WholeReply, wholeExchange } from "../../http/exchange.ts";
import { withRetries } from "../../http/retry.ts";
import { type ObjectOperation, ObjectStoreError } from "./errors.ts";

/** Waits after a failed exchange (sheet 04 section 4.6). */
const RETRY_DELAYS_MS: readonly number[] = [1000, 1000, 3000];
const SILENCE_MS = 20_000;
/** Slowest store that is read from: what a store may be silent comes on top. Bytes in a millisecond. */
const SLOWEST_RATE = 64;
/** A stream may pause this many times as long in all, on top of what its bytes take at the slowest rate. */
const STREAM_PAUSES = 3;
const SMALL_REPLY_BYTES = 1024 * 1024;

export type ObjectCall = HttpCall & { method: NonNullable<HttpCall["method"]>; url: URL };

/** Headers to send with a call: those given and what proves the right to make it. Made for each attempt, since signatures carry the time. */
export type Authorize = (call: ObjectCall) => Record<string, string> | Promise<Record<string, string>>;

export interface TransportOptions {
  retryDelaysMs?: readonly number[];
  /** How long a server may be silent, and how long it may take for an object, on top of the time of its bytes. Milliseconds. */
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

  /** One exchange read to the end; any status that does not pass is an answer. */
  whole(operation: ObjectOperation, key: string, call: ObjectCall, maxBytes = SMALL_REPLY_BYTES): Promise<WholeReply> {
    const attempt = () => this.wholeOnce(call, maxBytes);
    return this.#translated(operation, key, withRetries(attempt, this.#retries(call.signal)));
  }

  /** One exchange without retries whose failures stay HttpErrors, for callers that know how to go on. */
  async wholeOnce(call: ObjectCall, maxBytes = SMALL_REPLY_BYTES): Promise<WholeReply> {
    const totalMs = this.#silenceMs;
    return wholeExchange(await this.#authorized(call), { totalMs, slowestRate: SLOWEST_RATE, maxBytes });
  }

  /** The head of an answer, its body still to come; the body's failures stay HttpErrors. */
  stream(operation: ObjectOperation, key: string, call: ObjectCall): Promise<HttpReply> {
    const silenceMs = this.#silenceMs;
    const limits = { silenceMs, totalMs: STREAM_PAUSES * silenceMs, slowestRate: SLOWEST_RATE };
    const attempt = async () => openExchange(await this.#authorized(call), limits);
    return this.#translated(operation, key, withRetries(attempt, this.#retries(call.signal)));
  }
}

/** The outcome of `work`, which goes on for others, unless `signal` ends the wait first. */
async function untilAborted<T>(work: T | Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return work;
  let stop = (): void => {};
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(new HttpError("aborted", "stopped by the caller"));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
