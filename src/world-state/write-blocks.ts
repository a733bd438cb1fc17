import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS } from "../protocol/constants.ts";
import type { Store } from "../storage/store.ts";
import type { SealedBlock } from "./sealed-block.ts";
import { leafBytes, leafRowBytes, type StoredLeaf } from "./tables/leaf-row.ts";
import { blockKey, historyKey, positionBytes, positionKey, valueKey } from "./tables/row-keys.ts";
import { inOrderOfKeys } from "./tables/sorted-keys.ts";
import { type Snapshots, stateBytes } from "./tables/state-row.ts";
import type { IndexedTree } from "./tables/state-view.ts";
import { updateStatus } from "./tables/status-row.ts";
import { inSteps } from "./tables/steps.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { TILE_KEY_BYTES, writeTileKey } from "./tables/tile-address.ts";
import { type UndoRecord, undoBytes } from "./tables/undo-record.ts";
import { versionedBytes } from "./tables/versioned.ts";
import { rowBytes, type TileChange } from "./tile-change.ts";

/** Changes of consecutive blocks to the store. */
export interface BlockChanges {
  blocks: (SealedBlock & { snapshots: Snapshots })[];
  /** In order of their keys. */
  tiles: TileChange[];
}

/**
 * Writes the changes of consecutive blocks, each row once and every table in order of its keys. Runs inside a
 * transaction, on top of the state before the first of them.
 */
export function writeBlocks(
  store: Pick<Store, "transaction">,
  tables: WorldStateTables,
  { blocks, tiles }: BlockChanges,
): void {
  const changed = new TilesByBlock(tiles);
  const key = new Uint8Array(TILE_KEY_BYTES);
  inSteps(store, tiles, ({ tree, level, index, row, history, blocks }) => {
    writeTileKey(key, tree, level, index);
    tables.tiles.put(key, rowBytes(row));
    for (const version of history) tables.tileHistory.put(historyKey(key, version.lastBlock), rowBytes(version));
    for (const block of blocks) changed.add(block, key);
  });
  writeLeaves(store, tables, NULLIFIER_TREE, blocks);
  writeLeaves(store, tables, PUBLIC_DATA_TREE, blocks);
  for (const sealed of blocks) writeBlock(tables, sealed, changed.keys(sealed.block));
  updateStatus(tables, { tip: blocks[blocks.length - 1].block });
}

/** Writes the leaves of an indexed tree as of the last block. */
function writeLeaves(
  store: Pick<Store, "transaction">,
  tables: WorldStateTables,
  tree: IndexedTree,
  blocks: SealedBlock[],
): void {
  const leaves = new Map<number, StoredLeaf>();
  for (const block of blocks) for (const leaf of block.leaves[tree]) leaves.set(leaf.index, leaf);
  const sizeBefore = blocks[0].sizesBefore[tree];
  // One buffer for all rows: the store looks up the address of every buffer it sees for the first time.
  const width = leafRowBytes(tree);
  const rows = new Uint8Array(leaves.size * width);
  let at = 0;
  inSteps(store, inOrderOfKeys(leaves.values()), (leaf) => {
    tables.keys.put(valueKey(tree, leaf.key), leafBytes(leaf, rows.subarray(at, at + width)));
    at += width;
  });
  for (const index of [...leaves.keys()].filter((index) => index >= sizeBefore).sort((a, b) => a - b)) {
    tables.leaves.put(positionKey(tree, index), (leaves.get(index) as StoredLeaf).key);
  }
}

/** Keys of the tiles that each block changed, concatenated. */
class TilesByBlock {
  readonly #blocks = new Map<number, { keys: Uint8Array; end: number }>();

  constructor(tiles: readonly TileChange[]) {
    const counts = new Map<number, number>();
    for (const { blocks } of tiles) for (const block of blocks) counts.set(block, (counts.get(block) ?? 0) + 1);
    for (const [block, count] of counts) {
      this.#blocks.set(block, { keys: new Uint8Array(count * TILE_KEY_BYTES), end: 0 });
    }
  }

  /** Adds a tile that the block is known to have changed. */
  add(block: number, key: Uint8Array): void {
    const tiles = this.#blocks.get(block) as { keys: Uint8Array; end: number };
    tiles.keys.set(key, tiles.end);
    tiles.end += TILE_KEY_BYTES;
  }

  keys(block: number): Uint8Array {
    return this.#blocks.get(block)?.keys ?? new Uint8Array(0);
  }
}

/**
 * Writes the rows that belong to one block: its appended values, the slot values it replaces, its roots and its undo
 * data.
 */
function writeBlock(
  tables: WorldStateTables,
  { block, sizesBefore, endedValues, appended, found, snapshots }: BlockChanges["blocks"][number],
  changedTiles: Uint8Array,
): void {
  const undo: UndoRecord = { tiles: changedTiles, slots: [], earlierPositions: [] };
  for (const { slot, value } of endedValues) {
    tables.valueHistory.put(historyKey(slot, block - 1), versionedBytes(value));
    undo.slots.push(slot);
  }
  for (const { tree, position, value } of appended) tables.leaves.put(positionKey(tree, position), value);
  for (const { tree, value, position, before } of found) {
    tables.positions.put(valueKey(tree, value), positionBytes(position));
    if (before !== undefined) undo.earlierPositions.push({ tree, value, position: before });
  }
  tables.undo.put(blockKey(block), undoBytes(undo));
  tables.states.put(blockKey(block), stateBytes(snapshots));
  for (const tree of TREE_IDS) {
    const { size } = snapshots[tree];
    if (size > sizesBefore[tree]) tables.sizes.put(positionKey(tree, size), blockKey(block));
  }
}
