import { instantiateSync } from "@assemblyscript/loader";
import type { Separator } from "../protocol/generations/hashing.ts";
import type { TextPart, TextTemplate, TileCache } from "./core.ts";
import { KEY_AT, KEY_BYTES, packTemplate, ROW_AT, ROW_BYTES } from "./text-templates.ts";
import type { CoreExports } from "./wasm-exports.ts";
import { WasmMemory } from "./wasm-memory.ts";
import { nodeRule } from "./wasm-merkle.ts";

/** Bytes of a set of four tiles and their tags. */
const SET_BYTES = 4 * 1024 + 64;
/** Most bytes of a packed tile of four levels, and most padding in front of it. */
const MAX_RECORD_BYTES = 1020;
const BEFORE_RECORD = 4;
/** Bytes for a text, and for all templates. */
const TEXT_BYTES = 4096;
const TEMPLATE_BYTES = 4096;

/** TileCache on its own WebAssembly instance. Its memory is reserved once; the system allocates it as it fills. */
export class WasmTileCache implements TileCache {
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;
  readonly #cache: number;
  readonly #text: number;
  readonly #entry: number;
  #templatesEnd: number;
  /** Address of the zero hashes by tree, and of the trees without a separator. */
  readonly #zeros: readonly number[];
  readonly #otherZeros: number;
  /** Reused views: of paths by height, and of texts by length. Creating a view costs as much as copying a path. */
  readonly #paths: Uint8Array[] = [];
  readonly #texts = new Array<Uint8Array | undefined>(TEXT_BYTES + 1);

  /** `module` is the compiled assembly/index.ts. */
  constructor(module: WebAssembly.Module, bytes: number, separators: readonly Separator[]) {
    this.#exports = instantiateSync(module).instance.exports as CoreExports;
    this.#exports.initialize(0);
    this.#memory = new WasmMemory(this.#exports.memory, this.#exports.scratchStart());
    const sets = 2 ** Math.max(0, Math.floor(Math.log2(bytes / SET_BYTES)));
    const texts = TEXT_BYTES + TEMPLATE_BYTES;
    this.#text = this.#memory.reserve(texts + this.#exports.tileCacheBytes(sets));
    this.#templatesEnd = this.#text + TEXT_BYTES;
    this.#cache = this.#text + texts;
    this.#exports.startTileCache(this.#cache, sets);
    this.#entry = this.#exports.leafEntry(this.#cache);
    const zeros = (separator: Separator) => this.#exports.zeroHashes(nodeRule(this.#exports, separator));
    this.#zeros = separators.map(zeros);
    this.#otherZeros = zeros(undefined);
  }

  open(state: number, tree: number, position: number, levels: number): number {
    const zeros = this.#zeros[tree] ?? this.#otherZeros;
    return this.#exports.openPath(this.#cache, state, tree, position, levels, zeros);
  }

  put(level: number, bytes: Uint8Array | undefined, at = 0, keep = true): void {
    if (bytes !== undefined) requireAtMost("tile record", bytes.length - at, MAX_RECORD_BYTES);
    const slot = this.#exports.claimTile(this.#cache, level, keep);
    if (bytes === undefined) this.#memory.view(slot, BEFORE_RECORD + 8).fill(0);
    else this.#memory.copyIn(slot + BEFORE_RECORD - at, bytes);
  }

  close(height: number, out: Uint8Array, at: number): void {
    const path = this.#exports.closePath(this.#cache, height);
    this.#paths[height] ??= this.#memory.view(path, height * 32);
    out.set(this.#paths[height], at);
  }

  template(parts: readonly TextPart[], height: number): TextTemplate {
    const { bytes, parts: count, maxTextLength } = packTemplate(parts, height);
    const at = this.#templatesEnd;
    if (maxTextLength > TEXT_BYTES || at + bytes.length > this.#cache) {
      throw new RangeError(`no room for a template of ${bytes.length} bytes, whose texts have up to ${maxTextLength}`);
    }
    this.#memory.copyIn(at, bytes);
    this.#templatesEnd = at + Math.ceil(bytes.length / 4) * 4;
    return { height, at, count };
  }

  setLeaf(key: Uint8Array, row: Uint8Array): void {
    requireAtMost("leaf's key", key.length, KEY_BYTES);
    requireAtMost("leaf's row", row.length, ROW_BYTES);
    this.#memory.copyIn(this.#entry + KEY_AT, key);
    this.#memory.copyIn(this.#entry + ROW_AT, row);
  }

  closeText({ height, at, count }: TextTemplate): Uint8Array {
    const length = this.#exports.closeText(this.#cache, height, this.#text, at, count) - this.#text;
    return this.#texts[length] ?? this.#viewText(length);
  }

  #viewText(length: number): Uint8Array {
    const view = this.#memory.view(this.#text, length);
    this.#texts[length] = view;
    return view;
  }
}

function requireAtMost(name: string, bytes: number, most: number): void {
  if (bytes > most) throw new RangeError(`a ${name} is at most ${most} bytes, got ${bytes}`);
}
