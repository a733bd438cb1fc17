import type { Core, TileCache } from "../core/core.ts";
import { readU32 } from "../protocol/bytes.ts";
import { TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import type { StoredState } from "./stored-state.ts";
import { TILE_ROW_BYTES, type WorldStateTables } from "./tables.ts";
import { TILE_KEY_BYTES, TILE_WIDTH, tileLevels, writeTileKey } from "./tile-address.ts";

/** Tiles above the leaves that are kept: those of a tree of ten million leaves take two thirds of it. Memory is taken as it fills. */
const CACHED_TILE_BYTES = 72 * 2 ** 20;

/** Levels of tiles that hold more than one path: above them one node covers all `size` leaves. */
function occupiedLevels(tree: TreeId, size: number): number {
  let level = 0;
  for (let covered = 1; level < tileLevels(tree) && covered < size; covered *= TILE_WIDTH) level++;
  return level;
}

/** Sibling paths from stored tiles, those above the leaves kept in the core's memory. */
export class PathReader {
  readonly #core: Core;
  readonly #tables: WorldStateTables;
  #cache: TileCache | undefined;
  readonly #key = new Uint8Array(TILE_KEY_BYTES);
  readonly #row = new Uint8Array(TILE_ROW_BYTES);

  constructor(core: Core, tables: WorldStateTables) {
    this.#core = core;
    this.#tables = tables;
  }

  /** Writes height x 32 bytes to the start of `out`. `id` stands for the content of the state's trees, and for no other. */
  write(id: number, state: StoredState, tree: TreeId, position: number, out: Uint8Array): void {
    this.#cache ??= this.#core.tileCache(CACHED_TILE_BYTES);
    const size = state.size(tree);
    // A path beyond the last leaf may meet occupied tiles on every level.
    const levels = position < size ? occupiedLevels(tree, size) : tileLevels(tree);
    let missing = this.#cache.open(id, tree, position, levels);
    for (let level = 0, index = position; missing !== 0; level++, missing >>>= 1) {
      index = Math.floor(index / TILE_WIDTH);
      if ((missing & 1) !== 0) this.#cache.put(level, this.#tile(state, tree, level, index));
    }
    this.#cache.close(TREE_HEIGHTS[tree], out, 0);
  }

  /** Record of a tile, valid until the next call; undefined for an empty one. */
  #tile(state: StoredState, tree: TreeId, level: number, index: number): Uint8Array | undefined {
    writeTileKey(this.#key, tree, level, index);
    const length = this.#tables.tiles.readInto(this.#key, this.#row);
    if (length < 0) return undefined;
    if (readU32(this.#row, 0) <= state.block) return this.#row.subarray(4, length);
    return state.olderTile(this.#key)?.bytes;
  }
}
