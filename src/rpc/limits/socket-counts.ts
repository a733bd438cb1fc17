import { clientNetwork } from "./client-address.ts";

/** Places for the counts of clients; two that share one share a limit. */
const PLACES = 1 << 16;

/**
 * Counts the sockets of each client over all threads that listen on one port. The memory holds a random seed and then,
 * for each thread, a count for every place that the hash of an address may have.
 */
export class SocketCounts {
  readonly #seed: number;
  readonly #threads: readonly Int16Array[];
  readonly #own: Int16Array;

  /** Memory for `new SocketCounts(memory, slot)` in every thread. */
  static memory(threads = 1): SharedArrayBuffer {
    const memory = new SharedArrayBuffer(4 + 2 * PLACES * threads);
    crypto.getRandomValues(new Uint32Array(1)).forEach((seed) => {
      new Uint32Array(memory, 0, 1)[0] = seed;
    });
    return memory;
  }

  constructor(memory: SharedArrayBuffer = SocketCounts.memory(), slot = 0) {
    this.#seed = new Uint32Array(memory, 0, 1)[0];
    const threads = (memory.byteLength - 4) / (2 * PLACES);
    this.#threads = Array.from({ length: threads }, (_, i) => new Int16Array(memory, 4 + 2 * PLACES * i, PLACES));
    const own = this.#threads[slot];
    if (own === undefined) throw new RangeError(`slot ${slot} of ${threads}`);
    this.#own = own;
  }

  /** How many a client has. */
  of(address: string): number {
    const place = this.#placeOf(address);
    return this.#threads.reduce((sum, counts) => sum + Atomics.load(counts, place), 0);
  }

  opened(address: string): void {
    Atomics.add(this.#own, this.#placeOf(address), 1);
  }

  closed(address: string): void {
    Atomics.sub(this.#own, this.#placeOf(address), 1);
  }

  /** Of a thread that is gone: its sockets went with it. */
  forget(slot: number): void {
    this.#threads[slot]?.fill(0);
  }

  /** FNV-1a over the seed and the text. */
  #placeOf(address: string): number {
    const client = clientNetwork(address);
    let hash = this.#seed;
    for (let i = 0; i < client.length; i++) hash = Math.imul(hash ^ client.charCodeAt(i), 0x01000193);
    return (hash ^ (hash >>> 16)) & (PLACES - 1);
  }
}
