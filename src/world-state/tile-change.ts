import type { TreeId } from "../protocol/constants.ts";

/** A row inside a buffer of many. Offsets instead of a view: a view of each row would take more memory than the row. */
export interface PackedRow {
  rows: Uint8Array;
  start: number;
  end: number;
}

/** A tile that a batch changes: its last row, and its earlier versions with the last block of each. */
export interface TileChange {
  tree: TreeId;
  level: number;
  index: number;
  row: PackedRow;
  history: (PackedRow & { lastBlock: number })[];
  /** Blocks that changed it, ascending. */
  blocks: number[];
}

export function rowBytes({ rows, start, end }: PackedRow): Uint8Array {
  return rows.subarray(start, end);
}
