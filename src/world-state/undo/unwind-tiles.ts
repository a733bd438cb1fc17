import { isPartial, wholeRecord } from "../../core/tile-record.ts";
import { writeU32 } from "../../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../../protocol/constants.ts";
import { inSteps } from "../tables/steps.ts";
import { TILE_HEIGHT, TILE_KEY_BYTES, tileHeightAt, writeTileKey } from "../tables/tile-address.ts";
import { type ChangedTile, changedTiles } from "./changed-rows.ts";
import type { UndoneBlock, UndoSpace } from "./undone-blocks.ts";

const SINCE = 4;
/** Largest row of a tile: 4 | bitmap 4 | 30 words. */
const MAX_ROW_BYTES = SINCE + 4 + 30 * 32;
/** Tiles per nested transaction; each also removes some rows of history. */
const TILES_PER_STEP = 256;

/** Restores the version of each tile that was valid before the blocks, and drops its later ones. */
export function restoreTiles(space: UndoSpace, blocks: readonly UndoneBlock[]): void {
  const restorer = new TileRestorer(space);
  for (const tree of TREE_IDS) {
    inSteps(space.store, changedTiles(tree, blocks), (tile) => restorer.restore(tree, tile), TILES_PER_STEP);
  }
}

class TileRestorer {
  readonly #space: UndoSpace;
  readonly #key = new Uint8Array(TILE_KEY_BYTES);
  readonly #version = new Uint8Array(TILE_KEY_BYTES + 4);
  /** Rows that a version is put together from, one after the other. */
  #rows = new Uint8Array(4 * MAX_ROW_BYTES);
  readonly #restored = new Uint8Array(MAX_ROW_BYTES);

  constructor(space: UndoSpace) {
    this.#space = space;
  }

  restore(tree: TreeId, { level, index, blocks }: ChangedTile): void {
    const { tiles, tileHistory } = this.#space.tables;
    writeTileKey(this.#key, tree, level, index);
    writeTileKey(this.#version, tree, level, index);
    const row = this.#rowBefore(tree, level, blocks);
    if (row === undefined) tiles.remove(this.#key);
    else tiles.put(this.#key, row);
    // The block that created the tile ended no version of it.
    for (let i = row === undefined ? 1 : 0; i < blocks.length; i++) tileHistory.remove(this.#endedBy(blocks[i]));
  }

  /** Key of history of the version that a block ended; valid until the next call. */
  #endedBy(block: number): Uint8Array {
    writeU32(this.#version, TILE_KEY_BYTES, block - 1);
    return this.#version;
  }

  /**
   * Row of the version that the first of these blocks ended, from it and as many later versions as a partial record
   * needs. Undefined when there is none: the tile did not exist.
   */
  #rowBefore(tree: TreeId, level: number, blocks: readonly number[]): Uint8Array | undefined {
    const { tiles, tileHistory } = this.#space.tables;
    const records: Uint8Array[] = [];
    let at = 0;
    for (let version = 0; ; version++) {
      this.#reserve(at + MAX_ROW_BYTES);
      const length =
        version < blocks.length
          ? tileHistory.readInto(this.#endedBy(blocks[version]), this.#rows, at)
          : tiles.readInto(this.#key, this.#rows, at);
      if (length < 0 && version === 0) return undefined;
      if (length < 0) throw new Error("a later version of a tile is missing");
      records.push(this.#rows.subarray(at + SINCE, at + length));
      if (!isPartial(records[version])) break;
      at += length;
    }
    if (records.length === 1) return this.#rows.subarray(0, SINCE + records[0].length);
    const restored = this.#restored;
    for (let i = 0; i < SINCE; i++) restored[i] = this.#rows[i];
    const { zeroHashes } = this.#space.nodes[tree];
    const shape = { height: tileHeightAt(tree, level), baseLevel: level * TILE_HEIGHT, zeroHashes };
    return restored.subarray(0, SINCE + wholeRecord(records, shape, restored, SINCE));
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#rows.length) return;
    const larger = new Uint8Array(2 * bytes);
    larger.set(this.#rows);
    this.#rows = larger;
  }
}
