import { LEAF_ROW, leafRowBytes, readLowBefore, readNextIndex } from "../tables/leaf-row.ts";
import { positionKey, VALUE_KEY_BYTES, writeValueKey } from "../tables/row-keys.ts";
import { inOrderOfKeys } from "../tables/sorted-keys.ts";
import type { IndexedTree } from "../tables/state-view.ts";
import { inSteps } from "../tables/steps.ts";
import type { WorldStateTables } from "../tables/tables.ts";
import { leavesFrom } from "./leaves-from.ts";
import type { UndoSpace } from "./undone-blocks.ts";

/** Leaves per nested transaction; most of them also change the leaf before them. */
const LEAVES_PER_STEP = 256;

/**
 * Removes the leaves at positions >= `size`, and takes their keys out of the sorted list: the leaf that stays before a
 * run of removed ones gets the pointers of the last of them.
 */
export function removeIndexed({ store, tables }: UndoSpace, tree: IndexedTree, size: number): void {
  const rows = new LeafRows(tables, tree);
  // `at` is the place in the order of positions.
  const leaves = Array.from(leavesFrom(tables, tree, size), ({ position, value }, at) => ({
    at,
    position,
    key: value,
  }));
  inSteps(store, leaves, ({ position }) => tables.leaves.remove(positionKey(tree, position)));

  const removed = new Uint8Array(leaves.length * rows.width);
  const rowAt = (at: number) => removed.subarray(at * rows.width, (at + 1) * rows.width);
  const ordered = inOrderOfKeys(leaves);
  for (const { at, key, position } of ordered) rows.read(key, position, rowAt(at));
  const lows = remainingLows(
    leaves.map(({ at, position }) => ({ position, row: rowAt(at) })),
    size,
  );

  const low = new Uint8Array(rows.width);
  const remove = ({ at, key, position }: (typeof leaves)[number]): void => {
    tables.keys.remove(rows.keyOf(key));
    const row = rowAt(at);
    if (readNextIndex(row) >= size) return;
    const index = lows.get(position) as number;
    const lowKey = tables.leaves.get(positionKey(tree, index));
    if (lowKey === undefined) throw new Error(`tree ${tree}: leaf ${index} is missing`);
    rows.read(lowKey, index, low);
    for (let i = LEAF_ROW.nextIndex; i < LEAF_ROW.lowBefore; i++) low[i] = row[i];
    tables.keys.put(rows.keyOf(lowKey), low);
  };
  inSteps(store, ordered, remove, LEAVES_PER_STEP);
}

/** Rows of a tree's keys. */
class LeafRows {
  readonly width: number;
  readonly #tables: WorldStateTables;
  readonly #tree: IndexedTree;
  readonly #key = new Uint8Array(VALUE_KEY_BYTES);

  constructor(tables: WorldStateTables, tree: IndexedTree) {
    this.width = leafRowBytes(tree);
    this.#tables = tables;
    this.#tree = tree;
  }

  /** Valid until the next call of any method. */
  keyOf(key: Uint8Array): Uint8Array {
    return writeValueKey(this.#key, this.#tree, key);
  }

  read(key: Uint8Array, position: number, out: Uint8Array): void {
    if (this.#tables.keys.readInto(this.keyOf(key), out) === this.width) return;
    throw new Error(`tree ${this.#tree}: the row of leaf ${position} is missing`);
  }
}

/**
 * The leaf that stays before each removed one, by position; `leaves` are in order of positions. A removed leaf knows
 * its low leaf from before its block (StoredLeaf), which either stays or is a removed leaf at a lower position.
 */
function remainingLows(leaves: Iterable<{ position: number; row: Uint8Array }>, size: number): Map<number, number> {
  const lows = new Map<number, number>();
  for (const { position, row } of leaves) {
    const before = readLowBefore(row);
    lows.set(position, before < size ? before : (lows.get(before) as number));
  }
  return lows;
}
