import type { Merkle } from "../core/core.ts";
import { yieldProcessor } from "../core/thread-priority.ts";
import { packTile, unpackTile } from "../core/tile-record.ts";
import { word } from "../protocol/bytes.ts";
import { TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import type { StateView } from "./tables/state-view.ts";
import { parentOf, TILE_HEIGHT, tileHeightAt, tileId, tileLevels, tileOfId } from "./tables/tile-address.ts";

/** A tile that changed, packed. */
export interface ChangedTile {
  id: number;
  record: Uint8Array;
}

/**
 * Nodes of one tree above a base state. Leaf nodes that are set wait until a root or path is read; then inner nodes are
 * hashed in one batch, level by level. Tiles are dense here: 2^(height+1) words in heap order.
 */
export class TreeOverlay {
  readonly #nodes: Merkle;
  readonly #tree: TreeId;
  readonly #base: StateView;
  readonly #tiles = new Map<number, Uint8Array>();
  /** Leaf nodes set since the last flush, by position. */
  readonly #pending = new Map<number, Uint8Array>();
  readonly #changed = new Set<number>();
  #root: Uint8Array;

  constructor(nodes: Merkle, tree: TreeId, base: StateView) {
    this.#nodes = nodes;
    this.#tree = tree;
    this.#base = base;
    this.#root = base.root(tree);
  }

  setNode(position: number, node: Uint8Array): void {
    this.#pending.set(position, node);
  }

  get root(): Uint8Array {
    this.#flush();
    return this.#root;
  }

  /** height x 32 bytes, leaf side first. */
  siblingPath(position: number): Uint8Array {
    this.#flush();
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

  /** Hashes all inner nodes above the leaf nodes set since the last flush. */
  #flush(): void {
    let nodes = new Map(this.#pending);
    this.#pending.clear();
    for (let level = 0; nodes.size > 0; level++) {
      if (level === tileLevels(this.#tree)) {
        this.#root = nodes.get(0) as Uint8Array;
        return;
      }
      nodes = this.#hashLevel(level, nodes);
    }
  }

  /** Sets nodes of one tile level by index, rehashes their tiles and returns copies of the roots by tile. */
  #hashLevel(level: number, nodes: Map<number, Uint8Array>): Map<number, Uint8Array> {
    yieldProcessor();
    const height = tileHeightAt(this.#tree, level);
    const dirty = new Map<number, number>();
    for (const [index, node] of nodes) {
      const { tile, bottom } = parentOf(index);
      this.#dense(level, tile).set(node, (2 ** height + bottom) * 32);
      dirty.set(tile, (dirty.get(tile) ?? 0) | (1 << bottom));
    }
    const indexes = [...dirty.keys()];
    const tiles = indexes.map((index) => this.#dense(level, index));
    this.#nodes.rehashTiles(tiles, Uint32Array.from(dirty.values()), height);
    for (const index of indexes) this.#changed.add(tileId(level, index));
    return new Map(indexes.map((index, i) => [index, word(tiles[i], 1).slice()]));
  }

  /** Packed tiles that changed since the last call, in order of their ids. */
  takeChanged(): ChangedTile[] {
    this.#flush();
    const ids = [...this.#changed].sort((a, b) => a - b);
    this.#changed.clear();
    return ids.map((id) => {
      const { level, index } = tileOfId(id);
      const height = tileHeightAt(this.#tree, level);
      return { id, record: packTile(this.#dense(level, index), height, level * TILE_HEIGHT, this.#nodes.zeroHashes) };
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
    return unpackTile(record, height, level * TILE_HEIGHT, this.#nodes.zeroHashes);
  }
}
