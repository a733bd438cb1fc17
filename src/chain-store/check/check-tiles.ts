import { equal, isZero } from "../../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../../protocol/constants.ts";
import { positionKey } from "../../world-state/tables/row-keys.ts";
import { WORLD_STATE_TABLES } from "../../world-state/tables/tables.ts";
import {
  parentOf,
  TILE_WIDTH,
  tileHeightAt,
  tileKey,
  tileLevels,
  tileOfKey,
} from "../../world-state/tables/tile-address.ts";
import { readVersioned } from "../../world-state/tables/versioned.ts";
import { type CheckReport, checkRow } from "./fault.ts";
import type { StoredTrees } from "./stored-trees.ts";

/** Checks tiles: each hashes to its node in the tile above, the topmost to the root, and each leaf has a row. */
export class TileChecker {
  readonly #trees: StoredTrees;
  readonly #report: CheckReport;
  #occupiedLeaves = 0;

  constructor(trees: StoredTrees, report: CheckReport) {
    this.#trees = trees;
    this.#report = report;
  }

  /** Leaves that are not empty in the tiles checked so far. */
  get occupiedLeaves(): number {
    return this.#occupiedLeaves;
  }

  /** A row of current tiles, where the tip is `block`. */
  checkRow(key: Uint8Array, row: Uint8Array, block: number): void {
    checkRow(this.#report, WORLD_STATE_TABLES.tiles, key, () => {
      if (key[0] >= TREE_IDS.length || key[1] >= tileLevels(key[0] as TreeId)) return "names no tile of any tree";
      const { since, bytes } = readVersioned(row);
      if (since > block) return `is of block ${since}, which is not there`;
      return this.brokenRule(key, bytes, block) ?? this.#missingLeaf(key, bytes);
    });
    this.#report.step();
  }

  /** Finds a leaf that is not empty and has no row. */
  #missingLeaf(key: Uint8Array, record: Uint8Array): string | undefined {
    const { tree, level, index } = tileOfKey(key);
    if (level > 0) return undefined;
    const tile = this.#trees.dense(tree, 0, record);
    for (let i = 0; i < TILE_WIDTH; i++) {
      if (isZero(tile.subarray((TILE_WIDTH + i) * 32, (TILE_WIDTH + i + 1) * 32))) continue;
      this.#occupiedLeaves++;
      const position = index * TILE_WIDTH + i;
      if (!this.#trees.tables.leaves.has(positionKey(tree, position))) return `its leaf ${position} has no row`;
    }
    return undefined;
  }

  /** The rule that a tile breaks as it was after `block`: it hashes to its node in the tile above, or to the root. */
  brokenRule(key: Uint8Array, record: Uint8Array, block: number): string | undefined {
    const { tree, level, index } = tileOfKey(key);
    const height = tileHeightAt(tree, level);
    const tile = this.#trees.dense(tree, level, record);
    const hashed = tile.slice();
    this.#trees.nodes[tree].rehashTiles([hashed], Uint32Array.of(2 ** (2 ** height) - 1), height);
    if (!equal(hashed.subarray(64), tile.subarray(64))) return "its inner nodes are not the hashes of its bottom nodes";
    const root = hashed.subarray(32, 64);
    if (level + 1 === tileLevels(tree)) {
      const state = this.#trees.snapshots(block);
      return state !== undefined && equal(root, state[tree].root)
        ? undefined
        : `does not hash to the root of block ${block}`;
    }
    const { tile: above, bottom } = parentOf(index);
    const parent = this.#trees.dense(tree, level + 1, this.#trees.record(tileKey(tree, level + 1, above), block));
    const at = (2 ** tileHeightAt(tree, level + 1) + bottom) * 32;
    return equal(root, parent.subarray(at, at + 32)) ? undefined : "does not hash to its node in the tile above";
  }
}
