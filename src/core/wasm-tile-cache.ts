import { instantiateSync } from "@assemblyscript/loader";
import type { TileCache } from "./core.ts";
import type { CoreExports } from "./wasm-exports.ts";
import { WasmMemory } from "./wasm-memory.ts";

/** Bytes of a set of four tiles with its tags. */
const SET_BYTES = 4 * 1024 + 64;
/** Most bytes of a packed tile of four levels. */
const MAX_RECORD_BYTES = 1024;

/** TileCache on a WebAssembly instance of its own. Its memory is reserved once and taken from the system as it fills. */
export class WasmTileCache implements TileCache {
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;
  readonly #cache: number;
  /** Where a path of each height is put, since making a view costs as much as copying one. */
  readonly #paths: Uint8Array[] = [];

  /** `module` is the compiled assembly/index.ts. */
  constructor(module: WebAssembly.Module, bytes: number) {
    this.#exports = instantiateSync<CoreExports>(module).exports;
    this.#exports.initialize(0);
    this.#memory = new WasmMemory(this.#exports.memory, this.#exports.scratchStart());
    const sets = 2 ** Math.max(0, Math.floor(Math.log2(bytes / SET_BYTES)));
    this.#cache = this.#memory.reserve(this.#exports.tileCacheBytes(sets));
    this.#exports.startTileCache(this.#cache, sets);
  }

  open(state: number, tree: number, position: number, levels: number): number {
    return this.#exports.openPath(this.#cache, state, tree, position, levels);
  }

  put(level: number, record: Uint8Array | undefined): void {
    if (record !== undefined && record.length > MAX_RECORD_BYTES) {
      throw new RangeError(`a tile record is at most ${MAX_RECORD_BYTES} bytes, got ${record.length}`);
    }
    const at = this.#exports.claimTile(this.#cache, level);
    if (record === undefined) this.#memory.view(at, 8).fill(0);
    else this.#memory.copyIn(at, record);
  }

  close(height: number, out: Uint8Array, at: number): void {
    const path = this.#exports.closePath(this.#cache, height);
    this.#paths[height] ??= this.#memory.view(path, height * 32);
    out.set(this.#paths[height], at);
  }
}
