import type { Core } from "../core/core.ts";
import { packTile, unpackTile } from "../core/tile-record.ts";
import { word } from "../protocol/bytes.ts";
import { TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import type { StateView } from "./state-view.ts";
import { parentOf, TILE_HEIGHT, tileHeightAt, tileId, tileLevels, tileOfId } from "./tile-address.ts";

/** Hashes tiles on other threads, as Core.rehashTiles does on this one. */
export interface TileHasher {
  rehashTiles(tiles: Uint8Array[], dirty: Uint32Array, height: number): Promise<void>;
}

/** A tile that changed since the last seal, packed. */
export interface ChangedTile {
  id: number;
  record: Uint8Array;
}

/**
 * Nodes of one tree above a base state. Leaf nodes are set at once; inner nodes are hashed in one batch, level by level, when a root
 * or path is read. Tiles are dense here: 2^(height+1) words in heap order.
 */
export class TreeOverlay {
  readonly #core: Core;
  readonly #tree: TreeId;
  readonly #base: StateView;
  readonly #tiles = new Map<number, Uint8Array>();
  /** Bottom nodes set since the last flush, by tile of level 0. */
  readonly #dirty = new Map<number, number>();
  readonly #changed = new Set<number>();
  #root: Uint8Array;

  constructor(core: Core, tree: TreeId, base: StateView) {
    this.#core = core;
    this.#tree = tree;
    this.#base = base;
    this.#root = base.root(tree);
  }

  setNode(position: number, node: Uint8Array): void {
    const { tile, bottom } = parentOf(position);
    this.#dense(0, tile).set(node, (2 ** TILE_HEIGHT + bottom) * 32);
    this.#dirty.set(tile, (this.#dirty.get(tile) ?? 0) | (1 << bottom));
  }

  /** A copy of the node at a leaf position. */
  node(position: number): Uint8Array {
    const { tile, bottom } = parentOf(position);
    return word(this.#dense(0, tile), 2 ** TILE_HEIGHT + bottom).slice();
  }

  get root(): Uint8Array {
    this.flush();
    return this.#root;
  }

  /** height x 32 bytes, leaf side first. */
  siblingPath(position: number): Uint8Array {
    this.flush();
    const height = TREE_HEIGHTS[this.#tree];
    const path = new Uint8Array(height * 32);
    let index = position;
    for (let level = 0; level < tileLevels(this.#tree); level++) {
      const tileHeight = tileHeightAt(this.#tree, level);
      const { tile, bottom } = parentOf(index);
      const nodes = this.#tiles.get(tileId(level, tile)) ?? this.#unpack(level, tile);
      for (let k = 0, at = 2 ** tileHeight + bottom; k < tileHeight; k++, at >>= 1) {
        path.set(word(nodes, at ^ 1), (level * TILE_HEIGHT + k) * 32);
      }
      index = tile;
    }
    return path;
  }

  /** Bottom nodes that wait for their ancestors to be hashed. */
  get pending(): number {
    let count = 0;
    for (let mask of this.#dirty.values()) for (; mask !== 0; mask &= mask - 1) count++;
    return count;
  }

  /** Hashes every inner node above a leaf node that was set since the last flush. */
  flush(): void {
    for (const { tiles, dirty, height, done } of this.#levels()) {
      this.#core.rehashTiles(tiles, dirty, height);
      done();
    }
  }

  /** As flush, with the hashing done elsewhere. The tree must not be touched before the promise resolves. */
  async flushOn(hasher: TileHasher): Promise<void> {
    for (const { tiles, dirty, height, done } of this.#levels()) {
      await hasher.rehashTiles(tiles, dirty, height);
      done();
    }
  }

  /** The dirty tiles of each tile level from the leaves up; `done` hands their roots to the level above. */
  *#levels(): Generator<{ tiles: Uint8Array[]; dirty: Uint32Array; height: number; done: () => void }, void> {
    let dirty = new Map(this.#dirty);
    this.#dirty.clear();
    for (let level = 0; dirty.size > 0; level++) {
      const ids = [...dirty.keys()];
      const tiles = ids.map((index) => this.#dense(level, index));
      const above = new Map<number, number>();
      const done = () => {
        for (const [i, index] of ids.entries()) this.#lift(level, index, word(tiles[i], 1), above);
      };
      yield { tiles, dirty: Uint32Array.from(dirty.values()), height: tileHeightAt(this.#tree, level), done };
      dirty = above;
    }
  }

  /** Sets a rehashed tile's root in the tile above it and marks it dirty there. */
  #lift(level: number, index: number, root: Uint8Array, above: Map<number, number>): void {
    this.#changed.add(tileId(level, index));
    if (level + 1 === tileLevels(this.#tree)) {
      this.#root = root.slice();
      return;
    }
    const { tile, bottom } = parentOf(index);
    this.#dense(level + 1, tile).set(root, (2 ** tileHeightAt(this.#tree, level + 1) + bottom) * 32);
    above.set(tile, (above.get(tile) ?? 0) | (1 << bottom));
  }

  /** The tiles that changed since the last call, packed, in order of their ids. */
  takeChanged(): ChangedTile[] {
    this.flush();
    const ids = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    return ids.map((id) => {
      const { level, index } = tileOfId(id);
      const height = tileHeightAt(this.#tree, level);
      return { id, record: packTile(this.#dense(level, index), height, level * TILE_HEIGHT, this.#core.zeroHashes) };
    });
  }

  #dense(level: number, index: number): Uint8Array {
    const id = tileId(level, index);
    let tile = this.#tiles.get(id);
    if (tile === undefined) {
      tile = this.#unpack(level, index);
      this.#tiles.set(id, tile);
    }
    return tile;
  }

  #unpack(level: number, index: number): Uint8Array {
    const height = tileHeightAt(this.#tree, level);
    const record = this.#base.tile(this.#tree, level, index)?.bytes;
    return unpackTile(record, height, level * TILE_HEIGHT, this.#core.zeroHashes);
  }
}
