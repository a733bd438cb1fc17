import { RateLimit } from "../../events/rate-limit.ts";
import { failure, type RpcAnswer } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import { clientNetwork } from "./client-address.ts";
import { SharedBuckets } from "./shared-buckets.ts";

/** A client that has been quiet may send this many seconds' worth of calls at once. */
const BURST_SECONDS = 2;

interface ClientLimitOptions {
  /** Calls per second of one client, at least 1. */
  perSecond: number;
  /** From SharedBuckets.memory, for threads that limit together. Its own by default. */
  memory?: SharedArrayBuffer;
  /** Milliseconds of a clock that never goes back and that all threads share. */
  now?: () => number;
}

/** Counts calls and refuses those that are too many. */
export interface CallLimit {
  /** Counts a request of a client, by its address. Gives the refusal when it has sent too many. */
  request(address: string): RpcAnswer | undefined;
  /** Counts the calls of a batch beyond the first. Gives the refusal when an earlier batch is not made up for yet. */
  batch(address: string, furtherCalls: number): RpcAnswer | undefined;
}

/** Of the process: performance.now() begins anew in every thread. */
function processMs(): number {
  const [seconds, nanoseconds] = process.hrtime();
  return seconds * 1e3 + nanoseconds / 1e6;
}

/**
 * Limits clients by address (IPv6 by /64). A request needs one call's worth to be there; a batch may take more than is
 * there, and its client then waits until that is made up for. So batches of any permitted size get through, and the
 * rate holds.
 */
export class ClientLimit implements CallLimit {
  readonly #perSecond: number;
  readonly #limit: RateLimit;
  readonly #buckets: SharedBuckets;
  readonly #now: () => number;

  constructor({ perSecond, memory = SharedBuckets.memory(), now = processMs }: ClientLimitOptions) {
    this.#perSecond = perSecond;
    this.#buckets = new SharedBuckets(memory);
    this.#limit = new RateLimit({ perSecond, burst: BURST_SECONDS * perSecond }, this.#buckets, now);
    this.#now = now;
  }

  /** How many have less than a full bucket. */
  get clients(): number {
    return this.#buckets.unfilled(this.#now());
  }

  request(address: string): RpcAnswer | undefined {
    const client = clientNetwork(address);
    return this.#limit.take(client) ? undefined : this.#refusal(client);
  }

  batch(address: string, furtherCalls: number): RpcAnswer | undefined {
    const client = clientNetwork(address);
    return this.#limit.take(client, furtherCalls, 0) ? undefined : this.#refusal(client);
  }

  /** Retry-After is in whole seconds, after which one call's worth is there. */
  #refusal(client: string): RpcAnswer {
    const seconds = Math.max(1, Math.ceil(this.#limit.wait(client) / 1000));
    return {
      ...failure(429, LIMIT_EXCEEDED, `Rate limit of ${this.#perSecond} calls per second exceeded`),
      headers: [["Retry-After", String(seconds)]],
    };
  }
}
