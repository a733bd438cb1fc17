import { failure, type RpcAnswer } from "../jsonrpc/answer.ts";
import { LIMIT_EXCEEDED } from "../jsonrpc/errors.ts";
import { clientNetwork } from "./client-address.ts";

/** A client that has been quiet may send this many seconds' worth of calls at once. */
const BURST_SECONDS = 2;
const MAX_CLIENTS = 16_384;
/** Places in which one client's entry may stand. */
const WAYS = 8;
const NS_PER_MS = 1e6;
const NS_PER_SECOND = 1e9;

export interface RateLimitOptions {
  /** Calls per second of one client, at least 1. */
  perSecond: number;
  /** From RateLimit.memory, for threads that limit together. Its own by default. */
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
  return seconds * 1e3 + nanoseconds / NS_PER_MS;
}

/**
 * Token buckets by client address (IPv6 by /64). A request needs one call's worth to be there; a batch may take more
 * than is there, and its client then waits until that is made up for. So batches of any permitted size get through, and
 * the rate holds.
 *
 * A bucket is kept as the time at which it will be full again (the generic cell rate algorithm), one word that threads
 * change by compare-and-exchange. The memory holds a random seed and then 16 bytes per client: a hash of its address, 0
 * for a free place, and that time in nanoseconds. A client that is not in it has a full bucket, so only entries of the
 * past are reused, unless all places of a client are taken: then it takes that of the one whose bucket will be full
 * soonest.
 */
export class RateLimit implements CallLimit {
  readonly #perSecond: number;
  /** Nanoseconds in which one call's worth comes back. */
  readonly #perCall: number;
  /** Nanoseconds in which an empty bucket becomes full. */
  readonly #capacity: number;
  readonly #now: () => number;
  readonly #seed: bigint;
  readonly #entries: BigInt64Array;
  readonly #ways: number;

  /** @param clients to keep in mind. */
  static memory(clients = MAX_CLIENTS): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(8 + 16 * clients);
    crypto.getRandomValues(new Uint32Array(2)).forEach((word, i) => {
      new Uint32Array(memory)[i] = word;
    });
    return memory;
  }

  constructor({ perSecond, memory = RateLimit.memory(), now = processMs }: RateLimitOptions) {
    this.#perSecond = perSecond;
    this.#perCall = NS_PER_SECOND / perSecond;
    this.#capacity = BURST_SECONDS * NS_PER_SECOND;
    this.#now = now;
    this.#seed = new BigInt64Array(memory)[0];
    this.#entries = new BigInt64Array(memory, 8);
    this.#ways = Math.min(WAYS, this.#entries.length / 2);
  }

  /** How many have less than a full bucket. */
  get clients(): number {
    const now = this.#nowNs();
    let count = 0;
    for (let at = 0; at < this.#entries.length; at += 2) if (Atomics.load(this.#entries, at + 1) > now) count += 1;
    return count;
  }

  request(address: string): RpcAnswer | undefined {
    return this.#take(address, 1, this.#capacity - this.#perCall);
  }

  batch(address: string, furtherCalls: number): RpcAnswer | undefined {
    return this.#take(address, furtherCalls, this.#capacity);
  }

  /** Takes `calls` unless the bucket is further than `most` nanoseconds from full. */
  #take(address: string, calls: number, most: number): RpcAnswer | undefined {
    const now = this.#nowNs();
    const at = this.#entryOf(clientNetwork(address), now) + 1;
    for (;;) {
      const full = Atomics.load(this.#entries, at);
      // biome-ignore lint/complexity/useMathMinMax: these are bigints.
      const from = full > now ? full : now;
      // Half a nanosecond makes up for rounding.
      if (Number(from - now) > most + 0.5) return this.#refusal(Number(from - now));
      const next = from + BigInt(Math.round(calls * this.#perCall));
      if (Atomics.compareExchange(this.#entries, at, full, next) === full) return undefined;
    }
  }

  #entryOf(client: string, now: bigint): number {
    const hash = this.#hash(client);
    const sets = Math.floor(this.#entries.length / 2 / this.#ways);
    const first = Number(BigInt.asUintN(32, hash) % BigInt(sets)) * this.#ways * 2;
    for (;;) {
      let soonest = first;
      for (let at = first; at < first + 2 * this.#ways; at += 2) {
        if (Atomics.load(this.#entries, at) === hash) return at;
        if (Atomics.load(this.#entries, at + 1) < Atomics.load(this.#entries, soonest + 1)) soonest = at;
      }
      const former = Atomics.load(this.#entries, soonest);
      if (Atomics.compareExchange(this.#entries, soonest, former, hash) !== former) continue;
      Atomics.store(this.#entries, soonest + 1, now);
      return soonest;
    }
  }

  /** FNV-1a over the seed and the text; never 0. */
  #hash(text: string): bigint {
    let [low, high] = [Number(BigInt.asUintN(32, this.#seed)) | 0, Number(this.#seed >> 32n) | 0];
    for (let i = 0; i < text.length; i++) {
      low = Math.imul(low ^ text.charCodeAt(i), 0x01000193);
      high = Math.imul(high ^ text.charCodeAt(i), 0x01000193) ^ (low >>> 15);
    }
    return (BigInt(high) << 32n) | BigInt(low >>> 0) || 1n;
  }

  #nowNs(): bigint {
    return BigInt(Math.round(this.#now() * NS_PER_MS));
  }

  /** Retry-After is in whole seconds, after which one call's worth is there. */
  #refusal(untilFull: number): RpcAnswer {
    const seconds = Math.max(1, Math.ceil((untilFull - (this.#capacity - this.#perCall)) / NS_PER_SECOND));
    return {
      ...failure(429, LIMIT_EXCEEDED, `Rate limit of ${this.#perSecond} calls per second exceeded`),
      headers: [["Retry-After", String(seconds)]],
    };
  }
}
