import { instantiateSync } from "@assemblyscript/loader";
import {
  type BlobSponge,
  type Core,
  type CoreBuild,
  DuplicateKeyError,
  type FieldArithmetic,
  type HashInput,
  type LinkBatch,
  type LinkedLeaves,
  type TileCache,
} from "./core.ts";
import { type HashedTiles, hashedTiles, type TileJob } from "./tile-job.ts";
import { WasmBlobSponge } from "./wasm-blob-sponge.ts";
import type { CoreExports } from "./wasm-exports.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { WasmTileCache } from "./wasm-tile-cache.ts";

/** Words of tiles and inputs that one call hands over at most: bounds the memory of an instance to some 10 MB. */
const MAX_WORDS_PER_CALL = 1 << 17;

/** By their numbers in assembly/poseidon2/build.ts. */
const BUILDS: readonly CoreBuild[] = ["scalar", "integer-lanes", "lanes"];

/** Binary names of a field operation. */
type FieldOperation = (out: number, a: number, b: number) => void;

/**
 * Core on one WebAssembly instance. Every call lays out its operands from the start of the scratch memory, so nothing
 * is allocated or freed, and results are copied out: a returned array is the caller's.
 */
export class WasmCore implements Core {
  readonly build: CoreBuild;
  readonly zeroHashes: readonly Uint8Array[];
  readonly field: FieldArithmetic;
  readonly #module: WebAssembly.Module;
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;

  /**
   * `module` is the compiled assembly/index.ts. The lanes are used where they can be; `build` keeps to a slower form.
   */
  constructor(module: WebAssembly.Module, build: CoreBuild = "lanes") {
    this.#module = module;
    this.#exports = instantiateSync<CoreExports>(module).exports;
    this.build = BUILDS[this.#exports.initialize(BUILDS.indexOf(build))];
    this.#memory = new WasmMemory(this.#exports.memory, this.#exports.scratchStart());
    const table = this.#memory.copyOut(this.#exports.zeroHashes(), 43 * 32);
    this.zeroHashes = Array.from({ length: 43 }, (_, level) => table.slice(level * 32, level * 32 + 32));
    this.field = {
      add: (a, b) => this.#binary(this.#exports.addWords, a, b),
      sub: (a, b) => this.#binary(this.#exports.subtractWords, a, b),
      mul: (a, b) => this.#binary(this.#exports.multiplyWords, a, b),
      div: (a, b) => this.#binary(this.#exports.divideWords, a, b),
    };
  }

  permute(state: Uint8Array): Uint8Array {
    requireBytes("state", state, 128);
    const at = this.#memory.reserve(128);
    this.#memory.copyIn(at, state);
    this.#exports.absorbWords(at, 0, 0);
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
    const sizes = [n * 32, words * 32, n * 4];
    const [out, at, counts, jobs] = placesOf(sizes, (bytes) => this.#memory.reserve(bytes + n * 12));
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

  blobSponge(): BlobSponge {
    return new WasmBlobSponge(this.#exports, this.#memory);
  }

  rehashTiles(tiles: Uint8Array[], dirty: Uint32Array, height: number): void {
    if (!Number.isInteger(height) || height < 1 || height > 5) {
      throw new RangeError(`tile height must be 1 to 5, got ${height}`);
    }
    if (dirty.length !== tiles.length) throw new RangeError(`${tiles.length} tiles with ${dirty.length} dirty masks`);
    const tileBytes = 64 << height;
    for (const tile of tiles) requireBytes("tile", tile, tileBytes);
    const innerBytes = tileBytes / 2;
    const most = MAX_WORDS_PER_CALL >> (height + 1);
    for (let from = 0; from < tiles.length; from += most) {
      const n = Math.min(most, tiles.length - from);
      const at = this.#memory.reserve(n * (tileBytes + 4 + (4 << height)));
      const masks = at + n * tileBytes;
      for (let i = 0; i < n; i++) this.#memory.copyIn(at + i * tileBytes, tiles[from + i]);
      this.#memory.copyInU32(masks, dirty.subarray(from, from + n));
      this.#exports.rehashTiles(at, masks, n, height, masks + n * 4);
      for (let i = 0; i < n; i++) tiles[from + i].set(this.#memory.view(at + i * tileBytes + 32, innerBytes - 32), 32);
    }
  }

  hashTiles(job: TileJob): HashedTiles {
    const { tileCount, versionCount, height, baseLevel, arity, input } = job;
    const slotBytes = 64 << height;
    const most = tileCount + versionCount;
    // Each part starts at a multiple of 8: slots, words and preimages are whole words, the input's head whole pairs of
    // u32.
    const inputBytes = (input.length + 15) & ~15;
    const sizes = [inputBytes, most * slotBytes, versionCount * 8, versionCount * (8 << height), versionCount * 32];
    const [at, slots, changed, jobs, roots, ends] = placesOf(sizes, (bytes) =>
      this.#memory.reserve(bytes + most * (8 + slotBytes)),
    );
    const rows = ends + most * 4;
    this.#memory.copyIn(at, input);
    const done = this.#exports.hashTileVersions(
      at,
      tileCount,
      versionCount,
      height,
      baseLevel,
      arity,
      slots,
      changed,
      jobs,
      ends,
      roots,
      rows,
    );
    if (done !== tileCount) throw new RangeError(`the row of tile ${done} of the job does not agree with its bitmap`);
    const end = most === 0 ? rows : rows + this.#memory.copyOutU32(rows - 4, 1)[0];
    return hashedTiles(this.#memory.copyOut(roots, end - roots), job);
  }

  siblingPath(
    records: (Uint8Array | undefined)[],
    index: number,
    height: number,
    tileHeight: number,
    out: Uint8Array,
    at: number,
  ): void {
    const count = Math.ceil(height / tileHeight);
    if (records.length !== count) throw new RangeError(`a path needs ${count} tile records, got ${records.length}`);
    let bytes = height * 32 + ((count + 1) & ~1) * 4;
    const path = this.#memory.reserve(records.reduce((sum, r) => sum + ((r?.length ?? 0) + 7), bytes));
    const pointers = new Uint32Array(count);
    for (let t = 0; t < count; t++) {
      const record = records[t];
      if (record === undefined) continue;
      pointers[t] = path + bytes;
      this.#memory.copyIn(path + bytes, record);
      bytes += (record.length + 7) & ~7;
    }
    this.#memory.copyInU32(path + height * 32, pointers);
    this.#exports.siblingPath(path, path + height * 32, index, height, tileHeight);
    out.set(this.#memory.view(path, height * 32), at);
  }

  linkLeaves(batch: LinkBatch): LinkedLeaves {
    const n = batch.positions.length;
    requireBytes("keys", batch.keys, n * 32);
    requireBytes("lowNextKeys", batch.lowNextKeys, n * 32);
    if (batch.lowIndexes.length !== n || batch.lowNextIndexes.length !== n) {
      throw new RangeError(`${n} positions with ${batch.lowIndexes.length} low indexes`);
    }
    const keys = this.#memory.reserve(n * (3 * 32 + 4 * 8 + 3 * 4));
    const lowNextKeys = keys + n * 32;
    const nextKeys = lowNextKeys + n * 32;
    const positions = nextKeys + n * 32;
    const lows = positions + n * 8;
    const lowNextIndexes = lows + n * 8;
    const nextIndexes = lowNextIndexes + n * 8;
    const order = nextIndexes + n * 8;
    const heads = order + n * 8;
    this.#memory.copyIn(keys, batch.keys);
    this.#memory.copyIn(lowNextKeys, batch.lowNextKeys);
    this.#memory.copyInF64(positions, batch.positions);
    this.#memory.copyInF64(lows, batch.lowIndexes);
    this.#memory.copyInF64(lowNextIndexes, batch.lowNextIndexes);
    const headCount = this.#exports.linkLeaves(
      n,
      keys,
      positions,
      lows,
      lowNextKeys,
      lowNextIndexes,
      order,
      nextKeys,
      nextIndexes,
      heads,
    );
    const key = (i: number) => batch.keys.slice(i * 32, i * 32 + 32);
    if (headCount < 0) throw new DuplicateKeyError(key(-1 - headCount));
    return {
      nextKeys: this.#memory.copyOut(nextKeys, n * 32),
      nextIndexes: Array.from(this.#memory.copyOutF64(nextIndexes, n)),
      lows: Array.from(this.#memory.copyOutU32(heads, headCount), (i) => ({
        index: batch.lowIndexes[i],
        nextKey: key(i),
        nextIndex: batch.positions[i],
      })),
    };
  }

  tileCache(bytes: number): TileCache {
    return new WasmTileCache(this.#module, bytes);
  }

  #binary(operation: FieldOperation, a: Uint8Array, b: Uint8Array): Uint8Array {
    requireBytes("operand", a, 32);
    requireBytes("operand", b, 32);
    const at = this.#memory.reserve(64);
    this.#memory.copyIn(at, a);
    this.#memory.copyIn(at + 32, b);
    operation(at, at, at + 32);
    return this.#memory.copyOut(at, 32);
  }
}

function requireBytes(name: string, bytes: Uint8Array, length: number): void {
  if (bytes.length !== length) throw new RangeError(`${name} must be ${length} bytes, got ${bytes.length}`);
}

/** Starts of parts of the given sizes laid out one after the other in a reservation, and the end of the last. */
function placesOf(sizes: number[], reserve: (bytes: number) => number): number[] {
  let at = reserve(sizes.reduce((sum, size) => sum + size, 0));
  return [at, ...sizes.map((size) => (at += size))];
}

function requireWords(name: string, bytes: Uint8Array): void {
  if (bytes.length % 32 !== 0) throw new RangeError(`${name} must be whole 32-byte words, got ${bytes.length} bytes`);
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
