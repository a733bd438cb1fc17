import type { BlobSponge, Core } from "./core.ts";

/**
 * The sponge's capacity starts at 24576 * 2^64, whatever it absorbs
 * (docs/protocol/01-fields-and-hashing.md#110-blob-sponge).
 */
const CAPACITY_AT = 3 * 32 + 32 - 16;
const CAPACITY = 24576n;
const CHUNK = 3 * 32;

/** Blob sponge with its state on the host between calls, so that any number of them can be open on one instance. */
export class WasmBlobSponge implements BlobSponge {
  readonly #hashing: Pick<Core, "absorb">;
  /** State of four words. */
  #state: Uint8Array = new Uint8Array(128);
  /** Up to three words that are not absorbed yet: a chunk is permuted only when another word follows. */
  #cache: Uint8Array = new Uint8Array(0);

  constructor(hashing: Pick<Core, "absorb">) {
    this.#hashing = hashing;
    new DataView(this.#state.buffer).setBigUint64(CAPACITY_AT, CAPACITY);
  }

  absorb(words: Uint8Array): void {
    if (words.length % 32 !== 0)
      throw new RangeError(`blob words must be whole 32-byte words, got ${words.length} bytes`);
    if (words.length === 0) return;
    const pending = new Uint8Array(this.#cache.length + words.length);
    pending.set(this.#cache);
    pending.set(words, this.#cache.length);
    const absorbed = Math.floor((pending.length - 32) / CHUNK) * CHUNK;
    if (absorbed > 0) this.#state = this.#hashing.absorb(this.#state, pending.subarray(0, absorbed));
    this.#cache = pending.slice(absorbed);
  }

  squeeze(): Uint8Array {
    return this.#hashing.absorb(this.#state, this.#cache).slice(0, 32);
  }

  clone(): WasmBlobSponge {
    const copy = new WasmBlobSponge(this.#hashing);
    copy.#state = this.#state;
    copy.#cache = this.#cache;
    return copy;
  }
}
