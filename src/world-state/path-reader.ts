import type { Core, TextTemplate, TileCache } from "../core/core.ts";
import { readU32 } from "../protocol/bytes.ts";
import { TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import type { Entry } from "../storage/table.ts";
import { textParts } from "./leaf-text.ts";
import type { StoredState } from "./stored-state.ts";
import { readLeafIndex } from "./tables/leaf-row.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { TILE_KEY_BYTES, TILE_WIDTH, tileLevels, writeTileKey } from "./tables/tile-address.ts";
import type { TreeNodes } from "./tables/tree-nodes.ts";
import type { LeafText } from "./types.ts";

/** Offset of the record in a tile's row. */
const RECORD_AT = 4;
/**
 * Size of the tile cache. In a tree of ten million leaves, the tiles above the lowest level take two thirds of it; of a
 * tree of a million leaves, nearly all tiles fit. Memory is allocated as the cache fills.
 */
const CACHED_TILE_BYTES = 72 * 2 ** 20;
/**
 * Leaf tiles of larger trees are not cached: less than one in twenty would be found again, and writing them through a
 * cache that is larger than the processor's takes longer than that saves.
 */
const LEAVES_CACHED = 8 * 2 ** 20;

/** Number of tile levels on which a path can have non-empty siblings: above them one node covers all leaves. */
function occupiedLevels(tree: TreeId, size: number): number {
  let level = 0;
  for (let covered = 1; level < tileLevels(tree) && covered < size; covered *= TILE_WIDTH) level++;
  return level;
}

/** Sibling paths from stored tiles, cached in the core's memory. */
export class PathReader {
  readonly #core: Core;
  readonly #nodes: TreeNodes;
  readonly #tables: WorldStateTables;
  #cache: TileCache | undefined;
  readonly #templates = new Map<LeafText, TextTemplate>();
  readonly #key = new Uint8Array(TILE_KEY_BYTES);

  constructor(core: Core, nodes: TreeNodes, tables: WorldStateTables) {
    this.#core = core;
    this.#nodes = nodes;
    this.#tables = tables;
  }

  #createCache(): TileCache {
    const separators = this.#nodes.map(({ separator }) => separator);
    this.#cache = this.#core.tileCache(CACHED_TILE_BYTES, separators);
    return this.#cache;
  }

  /** Writes height x 32 bytes to the start of `out`. `id` identifies the content of the state's trees. */
  write(id: number, state: StoredState, tree: TreeId, position: number, out: Uint8Array): void {
    const cache = this.#cache ?? this.#createCache();
    this.#open(cache, id, state, tree, position);
    cache.close(TREE_HEIGHTS[tree], out, 0);
  }

  /** A text about a leaf, given by its entry, and its path. Valid until the next call of any method. */
  text(id: number, state: StoredState, tree: TreeId, { key, value }: Entry, text: LeafText): Uint8Array {
    const cache = this.#cache ?? this.#createCache();
    // Copied first: reading a tile may invalidate the entry.
    cache.setLeaf(key, value);
    this.#open(cache, id, state, tree, readLeafIndex(value));
    return cache.closeText(this.#templates.get(text) ?? this.#prepare(cache, tree, text));
  }

  #prepare(cache: TileCache, tree: TreeId, text: LeafText): TextTemplate {
    const template = cache.template(textParts(text), TREE_HEIGHTS[tree]);
    this.#templates.set(text, template);
    return template;
  }

  #open(cache: TileCache, id: number, state: StoredState, tree: TreeId, position: number): void {
    const size = state.size(tree);
    // A path beyond the last leaf may cross occupied tiles on every level.
    const levels = position < size ? occupiedLevels(tree, size) : tileLevels(tree);
    let missing = cache.open(id, tree, position, levels);
    for (let level = 0, index = position; missing !== 0; level++, missing >>>= 1) {
      index = Math.floor(index / TILE_WIDTH);
      if ((missing & 1) !== 0) this.#put(cache, state, tree, level, index, level > 0 || size <= LEAVES_CACHED);
    }
  }

  #put(cache: TileCache, state: StoredState, tree: TreeId, level: number, index: number, keep: boolean): void {
    writeTileKey(this.#key, tree, level, index);
    const row = this.#tables.tiles.borrow(this.#key);
    if (row === undefined || readU32(row, 0) <= state.block) cache.put(level, row, RECORD_AT, keep);
    else cache.put(level, state.olderTile(this.#key)?.bytes, 0, keep);
  }
}
