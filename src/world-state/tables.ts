import { concat, readU32, writeU32, writeUint } from "../protocol/bytes.ts";
import { ARCHIVE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { Store, Table } from "../storage/store.ts";
import { TILE_KEY_BYTES } from "./tile-address.ts";
import type { IndexedLeaf, TreeSnapshot, WorldStateStatus } from "./types.ts";
import { copyWord } from "./word-copies.ts";

/**
 * Stored rows of the world state. Integers are big-endian; a position takes 6 bytes, a block 4.
 *
 *   tiles          tile key 7                    -> since 4 | packed tile            the current version
 *   tile history   tile key 7 | last block 4     -> since 4 | packed tile            versions valid for since .. last block, most as
 *                                                                                    what the next version replaced (TileRecord)
 *   leaves         tree 1 | position 6           -> value 32, or the key of an indexed leaf
 *   positions      tree 1 | value 32             -> position 6                       append-only trees
 *   keys           tree 1 | key 32               -> index 6 | next index 6 | next key 32 | low before 6 | next before 6
 *                                                   [ | since 4 | value 32 ]         see StoredLeaf
 *   value history  slot 32 | last block 4        -> since 4 | value 32
 *   states         block 4                       -> 5 x (root 32 | size 6)           kept for every block
 *   sizes          tree 1 | size 6               -> block 4                          first block after which the tree has that size
 *   undo           block 4                       -> what pruning and unwinding need, see UndoRecord
 *   meta           "status"                      -> tip 4 | finalized 4 | oldest 4 | archive root of the tip 32
 *                  "genesis"                     -> prefilled entries, 64 each
 */
export interface WorldStateTables {
  tiles: Table;
  tileHistory: Table;
  leaves: Table;
  positions: Table;
  keys: Table;
  valueHistory: Table;
  states: Table;
  sizes: Table;
  undo: Table;
  meta: Table;
}

export const WORLD_STATE_TABLES = {
  tiles: "ws-tiles",
  tileHistory: "ws-tile-history",
  leaves: "ws-leaves",
  positions: "ws-positions",
  keys: "ws-keys",
  valueHistory: "ws-value-history",
  states: "ws-states",
  sizes: "ws-sizes",
  undo: "ws-undo",
  meta: "ws-meta",
} as const satisfies Record<keyof WorldStateTables, string>;

export function openTables(store: Store): WorldStateTables {
  const names = Object.entries(WORLD_STATE_TABLES) as [keyof WorldStateTables, string][];
  return Object.fromEntries(names.map(([key, name]) => [key, store.table(name)])) as unknown as WorldStateTables;
}

export function blockKey(block: number): Uint8Array {
  const key = new Uint8Array(4);
  writeBlockKey(key, block);
  return key;
}

export function writeBlockKey(key: Uint8Array, block: number): void {
  writeU32(key, 0, block);
}

export function positionKey(tree: TreeId, position: number): Uint8Array {
  const key = new Uint8Array(7);
  key[0] = tree;
  writeUint(key, 1, 6, position);
  return key;
}

export const VALUE_KEY_BYTES = 33;

export function valueKey(tree: TreeId, value: Uint8Array): Uint8Array {
  return writeValueKey(new Uint8Array(VALUE_KEY_BYTES), tree, value);
}

export function writeValueKey(key: Uint8Array, tree: TreeId, value: Uint8Array): Uint8Array {
  key[0] = tree;
  key.set(value, 1);
  return key;
}

/** A key of a history table: the versioned key, then the last block for which the version held. */
export function historyKey(versioned: Uint8Array, lastBlock: number): Uint8Array {
  const key = new Uint8Array(versioned.length + 4);
  key.set(versioned);
  writeU32(key, versioned.length, lastBlock);
  return key;
}

export function positionBytes(position: number): Uint8Array {
  const bytes = new Uint8Array(6);
  writeUint(bytes, 0, 6, position);
  return bytes;
}

export function readPosition(bytes: Uint8Array, at = 0): number {
  return ((bytes[at] << 8) | bytes[at + 1]) * 2 ** 32 + readU32(bytes, at + 2);
}

/** A versioned value: the block since which it holds, and its bytes. */
export interface Versioned {
  since: number;
  bytes: Uint8Array;
}

export function versionedBytes({ since, bytes }: Versioned): Uint8Array {
  const out = new Uint8Array(4 + bytes.length);
  writeU32(out, 0, since);
  out.set(bytes, 4);
  return out;
}

export function readVersioned(row: Uint8Array): Versioned {
  return { since: readU32(row, 0), bytes: row.subarray(4) };
}

/**
 * An indexed leaf as stored. Its neighbours in the sorted list before the block that inserted it stay with it for good: whatever
 * is between it and them came with that block or a later one. A state that does not hold the leaf yet therefore finds its own
 * nearest keys by going from neighbour to neighbour, each of an earlier block. Every state holds the leaves of genesis, whose two
 * fields are 0 and never followed.
 */
export interface StoredLeaf extends IndexedLeaf {
  /** Index of the low leaf before that block. */
  lowBefore: number;
  /** Index of the next leaf before that block; 0, as in `nextIndex`, at the end of the list. */
  nextBefore: number;
  /** The block that wrote the value (public data only). */
  since?: number;
}

const LEAF_BYTES = 56;
const SLOT_BYTES = 92;

/** Where a row of `keys` has what. */
export const LEAF_ROW = {
  index: 0,
  nextIndex: 6,
  nextKey: 12,
  lowBefore: 44,
  nextBefore: 50,
  since: 56,
  value: 60,
} as const;

/** Bytes of a row of `keys`. */
export function leafRowBytes(tree: TreeId): number {
  return tree === PUBLIC_DATA_TREE ? SLOT_BYTES : LEAF_BYTES;
}

/** A leaf's row; in the start of `out` when there is one. */
export function leafBytes(
  leaf: StoredLeaf,
  out = new Uint8Array(leaf.value === undefined ? LEAF_BYTES : SLOT_BYTES),
): Uint8Array {
  writeUint(out, LEAF_ROW.index, 6, leaf.index);
  writeUint(out, LEAF_ROW.nextIndex, 6, leaf.nextIndex);
  out.set(leaf.nextKey, LEAF_ROW.nextKey);
  writeUint(out, LEAF_ROW.lowBefore, 6, leaf.lowBefore);
  writeUint(out, LEAF_ROW.nextBefore, 6, leaf.nextBefore);
  if (leaf.value !== undefined) {
    writeU32(out, LEAF_ROW.since, leaf.since ?? 0);
    out.set(leaf.value, LEAF_ROW.value);
  }
  return out;
}

/** Reads a row without copying it. */
export function readLeaf(key: Uint8Array, row: Uint8Array): StoredLeaf {
  return leafWith(key, row, wordIn);
}

/** Reads a row whose memory is borrowed. */
export function copyLeaf(key: Uint8Array, row: Uint8Array): StoredLeaf {
  return leafWith(key, row, copyWord);
}

function wordIn(row: Uint8Array, at: number): Uint8Array {
  return row.subarray(at, at + 32);
}

function leafWith(key: Uint8Array, row: Uint8Array, wordAt: typeof wordIn): StoredLeaf {
  const leaf: StoredLeaf = {
    index: readLeafIndex(row),
    key,
    nextKey: wordAt(row, LEAF_ROW.nextKey),
    nextIndex: readNextIndex(row),
    lowBefore: readLowBefore(row),
    nextBefore: readNextBefore(row),
  };
  if (row.length > LEAF_BYTES) {
    leaf.since = readSince(row);
    leaf.value = wordAt(row, LEAF_ROW.value);
  }
  return leaf;
}

export function readLeafIndex(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.index);
}

export function readNextIndex(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.nextIndex);
}

export function readLowBefore(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.lowBefore);
}

export function readNextBefore(row: Uint8Array): number {
  return readPosition(row, LEAF_ROW.nextBefore);
}

/** The block that wrote a slot's value; 0 in a row without one. */
export function readSince(row: Uint8Array): number {
  return row.length > LEAF_BYTES ? readU32(row, LEAF_ROW.since) : 0;
}

export type Snapshots = readonly TreeSnapshot[];

/** Bytes of a row of `states`. */
export const STATE_BYTES = TREE_IDS.length * 38;

export function stateBytes(snapshots: Snapshots): Uint8Array {
  return concat(...snapshots.flatMap(({ root, size }) => [root, positionBytes(size)]));
}

export function readState(row: Uint8Array): Snapshots {
  return TREE_IDS.map((tree) => ({
    root: row.subarray(tree * 38, tree * 38 + 32),
    size: readPosition(row, tree * 38 + 32),
  }));
}

/**
 * What one block changed beyond what other rows tell: the tiles it wrote, the slots whose value it overwrote, and the earlier
 * position of each value it appended again. Layout: three counts of 4 bytes, tile keys 7 each, slots 32 each, then tree 1 | value 32 |
 * earlier position 6 each.
 */
export interface UndoRecord {
  /** Keys of 7 bytes, one after the other. */
  tiles: Uint8Array;
  slots: Uint8Array[];
  earlierPositions: { tree: TreeId; value: Uint8Array; position: number }[];
}

export function undoBytes({ tiles, slots, earlierPositions }: UndoRecord): Uint8Array {
  const counts = new Uint8Array(12);
  writeU32(counts, 0, tiles.length / TILE_KEY_BYTES);
  writeU32(counts, 4, slots.length);
  writeU32(counts, 8, earlierPositions.length);
  const earlier = earlierPositions.flatMap(({ tree, value, position }) => [
    valueKey(tree, value),
    positionBytes(position),
  ]);
  return concat(counts, tiles, ...slots, ...earlier);
}

export function readUndo(row: Uint8Array): UndoRecord {
  let at = 12;
  const take = (count: number, width: number) =>
    Array.from({ length: count }, () => {
      at += width;
      return row.subarray(at - width, at);
    });
  const tileBytes = readU32(row, 0) * TILE_KEY_BYTES;
  at += tileBytes;
  return {
    tiles: row.subarray(12, 12 + tileBytes),
    slots: take(readU32(row, 4), 32),
    earlierPositions: take(readU32(row, 8), 39).map((item) => ({
      tree: item[0] as TreeId,
      value: item.subarray(1, 33),
      position: readPosition(item, 33),
    })),
  };
}

/** Keys of the tiles that a block wrote. */
export function tilesOf({ tiles }: UndoRecord): Uint8Array[] {
  return Array.from({ length: tiles.length / TILE_KEY_BYTES }, (_, i) =>
    tiles.subarray(i * TILE_KEY_BYTES, (i + 1) * TILE_KEY_BYTES),
  );
}

const STATUS_KEY = Buffer.from("status");

/** Bytes of the row of "status". */
export const STATUS_BYTES = 12 + 32;
const NO_STATUS = new Uint8Array(STATUS_BYTES);

/** Copies the row of "status" to `out`: zeros before genesis is stored. */
export function readStatusRow(tables: WorldStateTables, out: Uint8Array): void {
  if (tables.meta.readInto(STATUS_KEY, out) < 0) out.set(NO_STATUS);
}

/** Tip, finalized and oldest block. */
export function parseStatus(row: Uint8Array): WorldStateStatus {
  return { tip: readU32(row, 0), finalized: readU32(row, 4), oldest: readU32(row, 8) };
}

/** Where the archive's root is in a row of `states`. */
const ARCHIVE_ROOT_AT = ARCHIVE * 38;

/** To be called when the rows of the tip are written. */
export function updateStatus(tables: WorldStateTables, change: Partial<WorldStateStatus>): void {
  const row = new Uint8Array(STATUS_BYTES);
  readStatusRow(tables, row);
  const { tip, finalized, oldest } = { ...parseStatus(row), ...change };
  const state = tables.states.get(blockKey(tip));
  const archiveRoot = state?.subarray(ARCHIVE_ROOT_AT, ARCHIVE_ROOT_AT + 32) ?? NO_STATUS.subarray(12);
  tables.meta.put(STATUS_KEY, concat(blockKey(tip), blockKey(finalized), blockKey(oldest), archiveRoot));
}
