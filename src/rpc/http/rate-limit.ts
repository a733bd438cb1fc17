import { failure, type RpcAnswer } from "../jsonrpc/dispatcher.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import { clientNetwork } from "./client-address.ts";

/** A client that has been quiet may send this many seconds' worth of calls at once. */
const BURST_SECONDS = 2;
const MAX_CLIENTS = 16_384;

export interface RateLimitOptions {
  /** Calls per second of one client, at least 1. */
  perSecond: number;
  /** Clients to keep in mind; the one heard least recently is dropped for a new one. Default 16384. */
  maxClients?: number;
  /** Milliseconds of a clock that never goes back. */
  now?: () => number;
}

/** `calls` may be negative: what a batch took beyond what was there. As of `at` in milliseconds. */
interface Bucket {
  calls: number;
  at: number;
}

/**
 * Token buckets by client address (IPv6 by /64). A request needs one call's worth to be there; a batch may take more than is
 * there, and its client then waits until that is made up for. So batches of any permitted size get through, and the rate holds.
 */
export class RateLimit {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #maxClients: number;
  readonly #now: () => number;
  /** In the order in which clients were last heard. A client that is not in it has a full bucket. */
  readonly #buckets = new Map<string, Bucket>();

  constructor({ perSecond, maxClients = MAX_CLIENTS, now = () => performance.now() }: RateLimitOptions) {
    this.#perSecond = perSecond;
    this.#burst = perSecond * BURST_SECONDS;
    this.#maxClients = maxClients;
    this.#now = now;
  }

  get clients(): number {
    return this.#buckets.size;
  }

  /** Counts a request. Gives the refusal when its client has sent too many. */
  request(address: string): RpcAnswer | undefined {
    const bucket = this.#bucket(address);
    if (bucket.calls < 1) return this.#refusal(bucket);
    bucket.calls -= 1;
    return undefined;
  }

  /** Counts the calls of a batch beyond the first. Gives the refusal when an earlier batch is not made up for yet. */
  batch(address: string, furtherCalls: number): RpcAnswer | undefined {
    const bucket = this.#bucket(address);
    if (bucket.calls < 0) return this.#refusal(bucket);
    bucket.calls -= furtherCalls;
    return undefined;
  }

  #bucket(address: string): Bucket {
    const client = clientNetwork(address);
    const now = this.#now();
    const bucket = this.#buckets.get(client) ?? { calls: this.#burst, at: now };
    bucket.calls = Math.min(this.#burst, bucket.calls + ((now - bucket.at) / 1_000) * this.#perSecond);
    bucket.at = now;
    this.#buckets.delete(client);
    this.#buckets.set(client, bucket);
    if (this.#buckets.size > this.#maxClients) {
      for (const oldest of this.#buckets.keys()) {
        this.#buckets.delete(oldest);
        break;
      }
    }
    return bucket;
  }

  /** Retry-After is in whole seconds, after which one call's worth is there. */
  #refusal({ calls }: Bucket): RpcAnswer {
    const seconds = Math.max(1, Math.ceil((1 - calls) / this.#perSecond));
    return {
      ...failure(429, LIMIT_EXCEEDED, `Rate limit of ${this.#perSecond} calls per second exceeded`),
      headers: [["Retry-After", String(seconds)]],
    };
  }
}
