import type { Core } from "../../core/core.ts";
import { unpackTile } from "../../core/tile-record.ts";
import { readU32 } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";
import { oldTile } from "../../world-state/old-tile.ts";
import { blockKey } from "../../world-state/tables/row-keys.ts";
import { readState, type Snapshots, STATE_BYTES } from "../../world-state/tables/state-row.ts";
import type { WorldStateTables } from "../../world-state/tables/tables.ts";
import { TILE_HEIGHT, TILE_WIDTH, tileHeightAt, tileKey } from "../../world-state/tables/tile-address.ts";
import type { TreeNodes } from "../../world-state/tables/tree-nodes.ts";
import { readVersioned } from "../../world-state/tables/versioned.ts";

/** Reads of the stored trees for their check: nothing is taken for granted but the keys of rows. */
export class StoredTrees {
  readonly tables: WorldStateTables;
  readonly core: Core;
  readonly nodes: TreeNodes;
  /** The block whose snapshots were read last. */
  #last: { block: number; snapshots: Snapshots | undefined } | undefined;
  /** The bottom tile that was read last. */
  #bottom: { tree: TreeId; index: number; tile: Uint8Array } | undefined;

  constructor(tables: WorldStateTables, core: Core, nodes: TreeNodes) {
    this.tables = tables;
    this.core = core;
    this.nodes = nodes;
  }

  /** Undefined when the row is missing or has another length. */
  snapshots(block: number): Snapshots | undefined {
    if (this.#last?.block !== block) {
      const row = this.tables.states.get(blockKey(block));
      this.#last = { block, snapshots: row?.length === STATE_BYTES ? readState(row) : undefined };
    }
    return this.#last.snapshots;
  }

  /** Record of a tile as it was after a block. */
  record(key: Uint8Array, block: number): Uint8Array | undefined {
    const row = this.tables.tiles.get(key);
    if (row !== undefined && readU32(row, 0) <= block) return readVersioned(row).bytes;
    return oldTile(this.tables, key, block)?.bytes;
  }

  /** The nodes of a tile in heap order. Throws when the record is no tile. */
  dense(tree: TreeId, level: number, record: Uint8Array | undefined): Uint8Array {
    return unpackTile(record, tileHeightAt(tree, level), level * TILE_HEIGHT, this.nodes[tree].zeroHashes);
  }

  /** Leaf node of the current trees at a position. */
  leafNode(tree: TreeId, position: number): Uint8Array {
    const index = Math.floor(position / TILE_WIDTH);
    if (this.#bottom?.tree !== tree || this.#bottom.index !== index) {
      const row = this.tables.tiles.get(tileKey(tree, 0, index));
      this.#bottom = { tree, index, tile: this.dense(tree, 0, row && readVersioned(row).bytes) };
    }
    const at = (TILE_WIDTH + (position % TILE_WIDTH)) * 32;
    return this.#bottom.tile.subarray(at, at + 32);
  }
}
