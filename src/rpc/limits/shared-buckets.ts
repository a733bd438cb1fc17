import type { BucketStore } from "../../events/rate-limit.ts";

const MAX_CLIENTS = 16_384;
/** Places in which one client's entry may stand. */
const WAYS = 8;
const NS_PER_MS = 1e6;

const inNs = (ms: number): bigint => BigInt(Math.round(ms * NS_PER_MS));

/**
 * Buckets that threads share. The memory holds a random seed and then 16 bytes per key: a hash of it, 0 for a free
 * place, and the time at which its bucket will be full, in nanoseconds, which threads change by compare-and-exchange. A
 * key that is not in it has a full bucket, so only entries of the past are reused, unless all places of a key are
 * taken: then it takes that of the one whose bucket will be full soonest.
 */
export class SharedBuckets implements BucketStore {
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

  constructor(memory: SharedArrayBuffer) {
    this.#seed = new BigInt64Array(memory)[0];
    this.#entries = new BigInt64Array(memory, 8);
    this.#ways = Math.min(WAYS, this.#entries.length / 2);
  }

  /** How many are not full. */
  unfilled(now: number): number {
    let count = 0;
    for (let at = 1; at < this.#entries.length; at += 2) if (Atomics.load(this.#entries, at) > inNs(now)) count += 1;
    return count;
  }

  get(key: string, now: number): number {
    return Number(Atomics.load(this.#entries, this.#entryOf(key, now) + 1)) / NS_PER_MS;
  }

  update(key: string, now: number, change: (full: number) => number | undefined): boolean {
    const at = this.#entryOf(key, now) + 1;
    for (;;) {
      const full = Atomics.load(this.#entries, at);
      const next = change(Number(full) / NS_PER_MS);
      if (next === undefined) return false;
      if (Atomics.compareExchange(this.#entries, at, full, inNs(next)) === full) return true;
    }
  }

  #entryOf(key: string, now: number): number {
    const hash = this.#hash(key);
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
      Atomics.store(this.#entries, soonest + 1, inNs(now));
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
}
