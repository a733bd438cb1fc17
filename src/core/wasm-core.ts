import { instantiateSync } from "@assemblyscript/loader";
import type {
  BlobSponge,
  Core,
  CoreBuild,
  FieldArithmetic,
  HashInput,
  LinkBatch,
  LinkedLeaves,
  TileCache,
} from "./core.ts";
import type { HashedTiles, TileJob } from "./tile-job.ts";
import { WasmBlobSponge } from "./wasm-blob-sponge.ts";
import type { CoreExports } from "./wasm-exports.ts";
import { wasmField } from "./wasm-field.ts";
import { WasmHashing } from "./wasm-hashing.ts";
import { linkLeaves } from "./wasm-leaf-links.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { WasmTileCache } from "./wasm-tile-cache.ts";
import { WasmTiles } from "./wasm-tiles.ts";

/** By their numbers in assembly/poseidon2/build.ts. */
const BUILDS: readonly CoreBuild[] = ["scalar", "integer-lanes", "lanes"];

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
  readonly #hashing: WasmHashing;
  readonly #tiles: WasmTiles;

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
    this.field = wasmField(this.#exports, this.#memory);
    this.#hashing = new WasmHashing(this.#exports, this.#memory);
    this.#tiles = new WasmTiles(this.#exports, this.#memory);
  }

  permute(state: Uint8Array): Uint8Array {
    return this.#hashing.permute(state);
  }

  absorb(state: Uint8Array, words: Uint8Array): Uint8Array {
    return this.#hashing.absorb(state, words);
  }

  hash(fields: Uint8Array): Uint8Array {
    return this.#hashing.hash(fields);
  }

  hashWithSeparator(separator: number | bigint, fields: Uint8Array): Uint8Array {
    return this.#hashing.hashWithSeparator(separator, fields);
  }

  hashBytes(bytes: Uint8Array): Uint8Array {
    return this.#hashing.hashBytes(bytes);
  }

  hashMany(inputs: Uint8Array, arity: number): Uint8Array {
    return this.#hashing.hashMany(inputs, arity);
  }

  hashEach(inputs: readonly HashInput[]): Uint8Array[] {
    return this.#hashing.hashEach(inputs);
  }

  blobSponge(): BlobSponge {
    return new WasmBlobSponge(this.#hashing);
  }

  rehashTiles(tiles: Uint8Array[], dirty: Uint32Array, height: number): void {
    this.#tiles.rehashTiles(tiles, dirty, height);
  }

  hashTiles(job: TileJob): HashedTiles {
    return this.#tiles.hashTiles(job);
  }

  siblingPath(
    records: (Uint8Array | undefined)[],
    index: number,
    height: number,
    tileHeight: number,
    out: Uint8Array,
    at: number,
  ): void {
    this.#tiles.siblingPath(records, index, height, tileHeight, out, at);
  }

  linkLeaves(batch: LinkBatch): LinkedLeaves {
    return linkLeaves(this.#exports, this.#memory, batch);
  }

  tileCache(bytes: number): TileCache {
    return new WasmTileCache(this.#module, bytes);
  }
}
