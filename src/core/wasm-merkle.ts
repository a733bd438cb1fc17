import type { Separator } from "../protocol/generations/hashing.ts";
import type { Merkle } from "./core.ts";
import { MAX_WORDS_PER_CALL, requireBytes } from "./operands.ts";
import { type HashedTiles, hashedTiles, type TileJob } from "./tile-job.ts";
import type { CoreExports } from "./wasm-exports.ts";
import type { WasmMemory } from "./wasm-memory.ts";

/** Levels of zero hashes. */
const ZERO_HASHES = 43;

/** Address of the rule for inner nodes with a separator in a core's instance. */
export function nodeRule(exports: CoreExports, separator: Separator): number {
  const rule = exports.nodeRule(separator ?? -1);
  if (rule === 0) throw new RangeError(`no room for trees with another separator, ${separator}`);
  return rule;
}

/** Tiles of Merkle trees on a core's instance: hashing them, and sibling paths through them. */
export class WasmMerkle implements Merkle {
  readonly separator: Separator;
  readonly zeroHashes: readonly Uint8Array[];
  readonly #rule: number;
  readonly #zeros: number;
  readonly #exports: CoreExports;
  readonly #memory: WasmMemory;

  constructor(exports: CoreExports, memory: WasmMemory, separator: Separator) {
    this.#exports = exports;
    this.#memory = memory;
    this.separator = separator;
    this.#rule = nodeRule(exports, separator);
    this.#zeros = exports.zeroHashes(this.#rule);
    this.zeroHashes = Array.from({ length: ZERO_HASHES }, (_, level) => memory.copyOut(this.#zeros + level * 32, 32));
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
      this.#exports.rehashTiles(at, masks, n, height, masks + n * 4, this.#rule);
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
    const [at, slots, changed, jobs, roots, ends, rows] = this.#memory.reserveParts([
      inputBytes,
      most * slotBytes,
      versionCount * 8,
      versionCount * (8 << height),
      versionCount * 32,
      most * 4,
      most * (4 + slotBytes),
    ]);
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
      this.#rule,
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
    this.#exports.siblingPath(path, path + height * 32, index, height, tileHeight, this.#zeros);
    out.set(this.#memory.view(path, height * 32), at);
  }
}
