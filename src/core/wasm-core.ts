import { instantiateSync } from "@assemblyscript/loader";
import type { Separator } from "../protocol/generations/hashing.ts";
import type {
  BlobSponge,
  Core,
  CoreBuild,
  FieldArithmetic,
  HashInput,
  LinkBatch,
  LinkedLeaves,
  Merkle,
  TileCache,
} from "./core.ts";
import { WasmBlobSponge } from "./wasm-blob-sponge.ts";
import type { CoreExports } from "./wasm-exports.ts";
import { wasmField } from "./wasm-field.ts";
import { WasmHashing } from "./wasm-hashing.ts";
import { linkLeaves } from "./wasm-leaf-links.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { WasmMerkle } from "./wasm-merkle.ts";
import { WasmTileCache } from "./wasm-tile-cache.ts";

/** By their numbers in assembly/poseidon2/build.ts. */
const BUILDS: readonly CoreBuild[] = ["scalar", "integer-lanes", "lanes"];

/**
 * Core on one WebAssembly instance. Every call lays out its operands from the start of the scratch memory, so nothing
 * is allocated or freed, and results are copied out: a returned array is the caller's.
 */
export class WasmCore implements Core {
  readonly build: CoreBuild;
  readonly field: FieldArithmetic;
  readonly #module: WebAssembly.Module;
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;
  readonly #hashing: WasmHashing;
  readonly #merkles = new Map<Separator, WasmMerkle>();

  /**
   * `module` is the compiled assembly/index.ts. The lanes are used where they can be; `build` keeps to a slower form.
   */
  constructor(module: WebAssembly.Module, build: CoreBuild = "lanes") {
    this.#module = module;
    this.#exports = instantiateSync<CoreExports>(module).exports;
    this.build = BUILDS[this.#exports.initialize(BUILDS.indexOf(build))];
    this.#memory = new WasmMemory(this.#exports.memory, this.#exports.scratchStart());
    this.field = wasmField(this.#exports, this.#memory);
    this.#hashing = new WasmHashing(this.#exports, this.#memory);
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

  merkle(separator?: Separator): Merkle {
    let merkle = this.#merkles.get(separator);
    if (merkle === undefined) {
      merkle = new WasmMerkle(this.#exports, this.#memory, separator);
      this.#merkles.set(separator, merkle);
    }
    return merkle;
  }

  linkLeaves(batch: LinkBatch): LinkedLeaves {
    return linkLeaves(this.#exports, this.#memory, batch);
  }

  tileCache(bytes: number, separators: readonly Separator[] = []): TileCache {
    return new WasmTileCache(this.#module, bytes, separators);
  }
}
