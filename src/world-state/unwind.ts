import { completeRecord, isPartial, packTile, unpackTile } from "../core/tile-record.ts";
import { equal } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { IndexedTree } from "./state-view.ts";
import { leafBytes, readLeaf } from "./tables/leaf-row.ts";
import { blockKey, historyKey, positionBytes, positionKey, readPosition, valueKey } from "./tables/row-keys.ts";
import { readState } from "./tables/state-row.ts";
import { updateStatus } from "./tables/status-row.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { readUndo, tilesOf } from "./tables/undo-record.ts";
import { readVersioned, versionedBytes } from "./tables/versioned.ts";
import { TILE_HEIGHT, tileHeightAt, tileOfKey } from "./tile-address.ts";

/** Removes the tip block from every table: the exact inverse of writing it. Runs inside a transaction. */
export function unwindTip(tables: WorldStateTables, block: number, zeroHashes: readonly Uint8Array[]): void {
  const undoRow = tables.undo.get(blockKey(block));
  const after = tables.states.get(blockKey(block));
  const before = tables.states.get(blockKey(block - 1));
  if (undoRow === undefined || after === undefined || before === undefined) {
    throw new Error(`world state rows of block ${block} are missing`);
  }
  const undo = readUndo(undoRow);
  const sizesAfter = readState(after).map(({ size }) => size);
  const sizesBefore = readState(before).map(({ size }) => size);

  for (const tree of TREE_IDS) {
    const indexed = tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE;
    for (const { position, value } of leavesFrom(tables, tree, sizesBefore[tree])) {
      tables.leaves.remove(positionKey(tree, position));
      if (indexed) unlink(tables, tree, value);
      else forget(tables, tree, value, position);
    }
    if (sizesAfter[tree] > sizesBefore[tree]) tables.sizes.remove(positionKey(tree, sizesAfter[tree]));
  }
  for (const { tree, value, position } of undo.earlierPositions) {
    tables.positions.put(valueKey(tree, value), positionBytes(position));
  }
  for (const slot of undo.slots) restoreValue(tables, slot, block - 1);
  for (const key of tilesOf(undo)) restoreTile(tables, key, block - 1, zeroHashes);
  tables.undo.remove(blockKey(block));
  tables.states.remove(blockKey(block));
  updateStatus(tables, { tip: block - 1 });
}

/** Leaves of a tree at positions >= `size`, from the last one down. */
function leavesFrom(tables: WorldStateTables, tree: TreeId, size: number): { position: number; value: Uint8Array }[] {
  const end = positionKey((tree + 1) as TreeId, 0);
  return [...tables.leaves.range({ start: positionKey(tree, size), end })]
    .map(({ key, value }) => ({ position: readPosition(key.subarray(1)), value }))
    .reverse();
}

/** Unlinks a key from the sorted list: the previous leaf gets its pointers. */
function unlink(tables: WorldStateTables, tree: IndexedTree, key: Uint8Array): void {
  const [own, previous] = [...tables.keys.range({ start: valueKey(tree, key), reverse: true, limit: 2 })];
  if (own === undefined || !equal(own.key.subarray(1), key)) throw new Error(`tree ${tree}: a leaf's key is missing`);
  const { nextKey, nextIndex } = readLeaf(key, own.value);
  const low = readLeaf(previous.key.subarray(1), previous.value);
  tables.keys.put(previous.key, leafBytes({ ...low, nextKey, nextIndex }));
  tables.keys.remove(own.key);
}

/** Removes a value from the lookup table if its entry is the removed position. */
function forget(tables: WorldStateTables, tree: TreeId, value: Uint8Array, position: number): void {
  const key = valueKey(tree, value);
  const row = tables.positions.get(key);
  if (row !== undefined && readPosition(row) === position) tables.positions.remove(key);
}

/** Restores the version of a tile that was valid until `lastBlock`, or removes a tile that did not exist then. */
function restoreTile(
  tables: WorldStateTables,
  key: Uint8Array,
  lastBlock: number,
  zeroHashes: readonly Uint8Array[],
): void {
  const versionKey = historyKey(key, lastBlock);
  const row = tables.tileHistory.get(versionKey);
  if (row === undefined) {
    tables.tiles.remove(key);
    return;
  }
  const { since, bytes } = readVersioned(row);
  const record = isPartial(bytes) ? completed(bytes, key, tables.tiles.get(key) as Uint8Array, zeroHashes) : bytes;
  tables.tiles.put(key, versionedBytes({ since, bytes: record }));
  tables.tileHistory.remove(versionKey);
}

/** Whole record, in stored form, of the version before a tile's current one. */
function completed(
  partial: Uint8Array,
  key: Uint8Array,
  current: Uint8Array,
  zeroHashes: readonly Uint8Array[],
): Uint8Array {
  const { tree, level } = tileOfKey(key);
  const height = tileHeightAt(tree, level);
  const record = completeRecord([partial, readVersioned(current).bytes], height);
  const tile = unpackTile(record, height, level * TILE_HEIGHT, zeroHashes);
  return packTile(tile, height, level * TILE_HEIGHT, zeroHashes);
}

function restoreValue(tables: WorldStateTables, slot: Uint8Array, lastBlock: number): void {
  const versionKey = historyKey(slot, lastBlock);
  const version = tables.valueHistory.get(versionKey);
  const key = valueKey(PUBLIC_DATA_TREE, slot);
  const row = tables.keys.get(key);
  if (version === undefined || row === undefined) throw new Error("the earlier value of a slot is missing");
  const { since, bytes } = readVersioned(version);
  tables.keys.put(key, leafBytes({ ...readLeaf(slot, row), value: bytes, since }));
  tables.valueHistory.remove(versionKey);
}

/** Drops the versions that ended with block `block - 1`. States older than `block` are then unreadable. */
export function dropHistoryBefore(tables: WorldStateTables, block: number): void {
  const row = tables.undo.get(blockKey(block));
  if (row === undefined) return;
  const undo = readUndo(row);
  for (const key of tilesOf(undo)) tables.tileHistory.remove(historyKey(key, block - 1));
  for (const slot of undo.slots) tables.valueHistory.remove(historyKey(slot, block - 1));
  tables.undo.remove(blockKey(block));
}
