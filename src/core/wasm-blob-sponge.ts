import type { BlobSponge } from "./core.ts";
import type { CoreExports } from "./wasm-exports.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/**
 * The sponge's capacity starts at 24576 * 2^64, whatever it absorbs
 * (docs/protocol/01-fields-and-hashing.md#110-blob-sponge).
 */
const CAPACITY_AT = 3 * 32 + 32 - 16;
const CAPACITY = 24576n;
const CHUNK = 3 * 32;

/** Blob sponge with its state on the host between calls, so that any number of them can be open on one instance. */
export class WasmBlobSponge implements BlobSponge {
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;
  /** State of four words. */
  #state = new Uint8Array(128);
  /** Up to three words that are not absorbed yet: a chunk is permuted only when another word follows. */
  #cache: Uint8Array = new Uint8Array(0);

  constructor(exports: CoreExports, memory: WasmMemory) {
    this.#exports = exports;
    this.#memory = memory;
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
    if (absorbed > 0) this.#state = this.#absorbInto(this.#state, pending.subarray(0, absorbed));
    this.#cache = pending.slice(absorbed);
  }

  squeeze(): Uint8Array {
    return this.#absorbInto(this.#state, this.#cache).slice(0, 32);
  }

  /** The state after absorbing whole chunks (or one last partial chunk) and permuting. */
  #absorbInto(state: Uint8Array, words: Uint8Array): Uint8Array<ArrayBuffer> {
    const at = this.#memory.reserve(128 + words.length);
    this.#memory.copyIn(at, state);
    this.#memory.copyIn(at + 128, words);
    this.#exports.absorbWords(at, at + 128, words.length / 32);
    return new Uint8Array(this.#memory.copyOut(at, 128));
  }
}
