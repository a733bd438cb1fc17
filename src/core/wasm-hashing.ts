import type { Core, HashInput } from "./core.ts";
import { MAX_WORDS_PER_CALL, requireBytes, requireWords } from "./operands.ts";
import type { CoreExports } from "./wasm-exports.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Poseidon2 hashes on a core's instance. */
export class WasmHashing
  implements Pick<Core, "permute" | "absorb" | "hash" | "hashWithSeparator" | "hashBytes" | "hashMany" | "hashEach">
{
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;

  constructor(exports: CoreExports, memory: WasmMemory) {
    this.#exports = exports;
    this.#memory = memory;
  }

  permute(state: Uint8Array): Uint8Array {
    return this.absorb(state, new Uint8Array());
  }

  absorb(state: Uint8Array, words: Uint8Array): Uint8Array {
    requireBytes("state", state, 128);
    requireWords("words", words);
    const at = this.#memory.reserve(128 + words.length);
    this.#memory.copyIn(at, state);
    this.#memory.copyIn(at + 128, words);
    this.#exports.absorbWords(at, at + 128, words.length / 32);
    return this.#memory.copyOut(at, 128);
  }

  hash(fields: Uint8Array): Uint8Array {
    requireWords("fields", fields);
    const at = this.#memory.reserve(fields.length + 32);
    this.#memory.copyIn(at + 32, fields);
    this.#exports.hashWords(at, at + 32, fields.length / 32);
    return this.#memory.copyOut(at, 32);
  }

  hashWithSeparator(separator: number | bigint, fields: Uint8Array): Uint8Array {
    requireWords("fields", fields);
    const at = this.#memory.reserve(fields.length + 32);
    this.#memory.copyIn(at, separatorWord(separator));
    this.#memory.copyIn(at + 32, fields);
    this.#exports.hashWords(at, at, fields.length / 32 + 1);
    return this.#memory.copyOut(at, 32);
  }

  hashBytes(bytes: Uint8Array): Uint8Array {
    const words = 32 + ((bytes.length + 7) & ~7);
    const at = this.#memory.reserve(words + Math.ceil(bytes.length / 31) * 32);
    this.#memory.copyIn(at + 32, bytes);
    this.#exports.hashBytes(at, at + 32, bytes.length, at + words);
    return this.#memory.copyOut(at, 32);
  }

  hashMany(inputs: Uint8Array, arity: number): Uint8Array {
    if (!Number.isInteger(arity) || arity < 1) throw new RangeError(`arity must be a positive integer, got ${arity}`);
    const stride = arity * 32;
    if (inputs.length % stride !== 0) {
      throw new RangeError(`inputs must be whole runs of ${stride} bytes, got ${inputs.length}`);
    }
    const count = inputs.length / stride;
    const out = new Uint8Array(count * 32);
    const most = Math.max(1, Math.floor(MAX_WORDS_PER_CALL / arity));
    for (let from = 0; from < count; from += most) {
      const n = Math.min(most, count - from);
      const results = this.#memory.reserve(n * (stride + 32 + 8));
      const words = results + n * 32;
      this.#memory.copyIn(words, inputs.subarray(from * stride, (from + n) * stride));
      this.#exports.hashMany(results, words, arity, n, words + n * stride);
      out.set(this.#memory.view(results, n * 32), from * 32);
    }
    return out;
  }

  hashEach(inputs: readonly HashInput[]): Uint8Array[] {
    for (const { fields } of inputs) requireWords("fields", fields);
    const results = new Array<Uint8Array>(inputs.length);
    // A long hash that begins last would have the lanes to itself.
    const order = inputs.map((_, i) => i).sort((a, b) => wordCount(inputs[b]) - wordCount(inputs[a]));
    for (let from = 0; from < order.length; ) {
      let words = wordCount(inputs[order[from]]);
      let to = from + 1;
      for (; to < order.length && words + wordCount(inputs[order[to]]) <= MAX_WORDS_PER_CALL; to++) {
        words += wordCount(inputs[order[to]]);
      }
      this.#hashRun(order.slice(from, to), words, inputs, results);
      from = to;
    }
    return results;
  }

  #hashRun(places: readonly number[], words: number, inputs: readonly HashInput[], results: Uint8Array[]): void {
    const n = places.length;
    const [out, at, counts, jobs] = this.#memory.reserveParts([n * 32, words * 32, n * 4, n * 12]);
    let end = at;
    for (const place of places) {
      const { separator, fields } = inputs[place];
      if (separator !== undefined) {
        this.#memory.copyIn(end, separatorWord(separator));
        end += 32;
      }
      this.#memory.copyIn(end, fields);
      end += fields.length;
    }
    this.#memory.copyInU32(
      counts,
      Uint32Array.from(places, (place) => wordCount(inputs[place])),
    );
    this.#exports.hashEach(out, at, counts, n, jobs);
    for (const [i, place] of places.entries()) results[place] = this.#memory.copyOut(out + i * 32, 32);
  }
}

/** Words that a hash absorbs. */
function wordCount({ separator, fields }: HashInput): number {
  return fields.length / 32 + (separator === undefined ? 0 : 1);
}

/** A separator is below 2^64: PUBLIC_BYTECODE carries a length above its low 32 bits. */
function separatorWord(separator: number | bigint): Uint8Array {
  const word = new Uint8Array(32);
  new DataView(word.buffer).setBigUint64(24, BigInt(separator));
  return word;
}
