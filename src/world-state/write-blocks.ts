import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS } from "../protocol/constants.ts";
import type { SealedBlock } from "./sealed-block.ts";
import type { IndexedTree } from "./state-view.ts";
import {
  blockKey,
  historyKey,
  leafBytes,
  leafRowBytes,
  positionBytes,
  positionKey,
  type Snapshots,
  type StoredLeaf,
  stateBytes,
  type UndoRecord,
  undoBytes,
  updateStatus,
  valueKey,
  versionedBytes,
  type WorldStateTables,
} from "./tables.ts";
import type { TileChange } from "./tree-batch.ts";

/** What consecutive blocks change in the store. */
export interface BlockChanges {
  blocks: (SealedBlock & { snapshots: Snapshots })[];
  /** In order of their keys. */
  tiles: TileChange[];
}

/**
 * Writes the changes of consecutive blocks, each row once and every table in order of its keys. Runs inside a transaction, on top
 * of the state before the first of them.
 */
export function writeBlocks(tables: WorldStateTables, { blocks, tiles }: BlockChanges): void {
  const undo = new Map<number, UndoRecord>(
    blocks.map(({ block }) => [block, { tiles: [], slots: [], earlierPositions: [] }]),
  );
  for (const { key, row, history, blocks } of tiles) {
    tables.tiles.put(key, row);
    for (const version of history) tables.tileHistory.put(historyKey(key, version.lastBlock), version.row);
    for (const block of blocks) undo.get(block)?.tiles.push(key);
  }
  writeLeaves(tables, NULLIFIER_TREE, blocks);
  writeLeaves(tables, PUBLIC_DATA_TREE, blocks);
  for (const sealed of blocks) writeBlock(tables, sealed, undo.get(sealed.block) as UndoRecord);
  updateStatus(tables, { tip: blocks[blocks.length - 1].block });
}

/** Writes the leaves of an indexed tree as the last block leaves them. */
function writeLeaves(tables: WorldStateTables, tree: IndexedTree, blocks: SealedBlock[]): void {
  const leaves = new Map<number, StoredLeaf>();
  for (const block of blocks) for (const leaf of block.leaves[tree]) leaves.set(leaf.index, leaf);
  const sizeBefore = blocks[0].sizesBefore[tree];
  // One buffer for all rows: the store looks up the address of each buffer that it is given for the first time.
  const width = leafRowBytes(tree);
  const rows = new Uint8Array(leaves.size * width);
  for (const [i, leaf] of [...leaves.values()].sort((a, b) => Buffer.compare(a.key, b.key)).entries()) {
    tables.keys.put(valueKey(tree, leaf.key), leafBytes(leaf, rows.subarray(i * width, (i + 1) * width)));
  }
  for (const index of [...leaves.keys()].filter((index) => index >= sizeBefore).sort((a, b) => a - b)) {
    tables.leaves.put(positionKey(tree, index), (leaves.get(index) as StoredLeaf).key);
  }
}

/** Writes what is a block's own: its appended values, the slot values that it ends, its roots and what undoes it. */
function writeBlock(
  tables: WorldStateTables,
  { block, sizesBefore, endedValues, appended, found, snapshots }: BlockChanges["blocks"][number],
  undo: UndoRecord,
): void {
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
