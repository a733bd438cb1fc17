import type { Store } from "../../storage/store.ts";
import { blockKey } from "../tables/row-keys.ts";
import type { WorldStateTables } from "../tables/tables.ts";
import type { TreeNodes } from "../tables/tree-nodes.ts";
import { readUndo, type UndoRecord } from "../tables/undo-record.ts";

/** A block with what it replaced. */
export interface UndoneBlock {
  block: number;
  undo: UndoRecord;
}

/** What unwinding and pruning work on. */
export interface UndoSpace {
  store: Pick<Store, "transaction">;
  tables: WorldStateTables;
  nodes: TreeNodes;
}

/** Bounds of the blocks that are gone through together, at least one, and so of time and memory. */
interface MaxTogether {
  undoBytes: number;
  blocks: number;
}

export const MAX_TOGETHER: MaxTogether = { undoBytes: 2 * 1024 * 1024, blocks: 1024 };

/** Blocks of `numbers` up to a bound, in this order; those without an undo row are left out. */
export function undoneBlocks(tables: WorldStateTables, numbers: Iterable<number>, most: MaxTogether): UndoneBlock[] {
  const blocks: UndoneBlock[] = [];
  let bytes = 0;
  for (const block of numbers) {
    const row = tables.undo.get(blockKey(block));
    if (row === undefined) continue;
    bytes += row.length;
    if (blocks.length > 0 && (bytes > most.undoBytes || blocks.length === most.blocks)) break;
    blocks.push({ block, undo: readUndo(row) });
  }
  return blocks;
}
