import { readUint, writeUint } from "../../protocol/bytes.ts";
import { TREE_HEIGHTS, type TreeId } from "../../protocol/constants.ts";

/**
 * Trees are stored as tiles: subtrees of TILE_HEIGHT levels. Tile (level t, index i) of a tree holds the nodes of tree
 * levels t*TILE_HEIGHT up to (t+1)*TILE_HEIGHT-1 below one node; the node itself is a bottom node of the tile above.
 * The top tile of a tree whose height is no multiple of TILE_HEIGHT is lower. bench/README.md has the measurements that
 * led to this height.
 */
export const TILE_HEIGHT = 4;
export const TILE_WIDTH = 2 ** TILE_HEIGHT;

/** Number of tile levels of a tree. */
export function tileLevels(tree: TreeId): number {
  return Math.ceil(TREE_HEIGHTS[tree] / TILE_HEIGHT);
}

/** Height of the tiles on a tile level. */
export function tileHeightAt(tree: TreeId, level: number): number {
  return Math.min(TILE_HEIGHT, TREE_HEIGHTS[tree] - level * TILE_HEIGHT);
}

/** The tile on the next level above tile or leaf `index`, and its bottom node there. */
export function parentOf(index: number): { tile: number; bottom: number } {
  const tile = Math.floor(index / TILE_WIDTH);
  return { tile, bottom: index - tile * TILE_WIDTH };
}

/** A unique number per (level, index), for maps. Indexes are below 2^42. */
export function tileId(level: number, index: number): number {
  return level * 2 ** 42 + index;
}

export function tileOfId(id: number): { level: number; index: number } {
  const level = Math.floor(id / 2 ** 42);
  return { level, index: id - level * 2 ** 42 };
}

export const TILE_KEY_BYTES = 7;

/** Stored key: tree u8 | level u8 | index, 5 bytes big-endian. */
export function tileKey(tree: TreeId, level: number, index: number): Uint8Array {
  const key = new Uint8Array(TILE_KEY_BYTES);
  writeTileKey(key, tree, level, index);
  return key;
}

export function tileOfKey(key: Uint8Array): { tree: TreeId; level: number; index: number } {
  return { tree: key[0] as TreeId, level: key[1], index: readUint(key, 2, 5) };
}

export function writeTileKey(key: Uint8Array, tree: TreeId, level: number, index: number): void {
  key[0] = tree;
  key[1] = level;
  writeUint(key, 2, 5, index);
}
