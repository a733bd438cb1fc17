import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS } from "../../protocol/constants.ts";
import { blockKey, positionKey } from "../tables/row-keys.ts";
import { readState } from "../tables/state-row.ts";
import { updateStatus } from "../tables/status-row.ts";
import type { WorldStateTables } from "../tables/tables.ts";
import { MAX_TOGETHER, type UndoneBlock, type UndoSpace, undoneBlocks } from "./undone-blocks.ts";
import { removeAppended } from "./unwind-appended.ts";
import { removeIndexed } from "./unwind-indexed.ts";
import { restoreTiles } from "./unwind-tiles.ts";
import { restoreValues } from "./unwind-values.ts";

/**
 * Removes the blocks after `block` from every table: the exact inverse of writing them. Every row is set once, to what
 * it was after `block`, and every table is gone through in order of its keys. Runs inside a transaction.
 */
export function unwindBlocks(space: UndoSpace, tip: number, block: number, most = MAX_TOGETHER): void {
  for (let last = tip; last > block; ) {
    const blocks = undoneBlocks(space.tables, downFrom(last, block), most).reverse();
    const first = last - blocks.length + 1;
    if (blocks.length === 0 || blocks[0].block !== first) throw missingRows(last);
    unwindTogether(space, blocks);
    last = first - 1;
  }
}

function* downFrom(last: number, end: number): Generator<number> {
  for (let block = last; block > end; block--) yield block;
}

function missingRows(block: number): Error {
  return new Error(`world state rows of block ${block} or one before it are missing`);
}

function unwindTogether(space: UndoSpace, blocks: readonly UndoneBlock[]): void {
  const { tables } = space;
  const target = blocks[0].block - 1;
  const sizes = sizesAfter(tables, target);
  restoreTiles(space, blocks);
  for (const tree of TREE_IDS) {
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) removeIndexed(space, tree, sizes[tree]);
    else removeAppended(space, tree, sizes[tree], blocks);
  }
  restoreValues(space, blocks);
  for (let i = blocks.length - 1; i >= 0; i--) {
    const { block } = blocks[i];
    removeSizes(tables, block);
    tables.undo.remove(blockKey(block));
    tables.states.remove(blockKey(block));
  }
  updateStatus(tables, { tip: target });
}

function sizesAfter(tables: WorldStateTables, block: number): number[] {
  const row = tables.states.get(blockKey(block));
  if (row === undefined) throw missingRows(block);
  return readState(row).map(({ size }) => size);
}

/** Removes the rows of sizes that the block was the first to have. */
function removeSizes(tables: WorldStateTables, block: number): void {
  const [after, before] = [sizesAfter(tables, block), sizesAfter(tables, block - 1)];
  for (const tree of TREE_IDS) if (after[tree] > before[tree]) tables.sizes.remove(positionKey(tree, after[tree]));
}
