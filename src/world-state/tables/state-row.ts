import { concat } from "../../protocol/bytes.ts";
import { ARCHIVE, TREE_IDS } from "../../protocol/constants.ts";

import { positionBytes, readPosition } from "./row-keys.ts";

export interface TreeSnapshot {
  root: Uint8Array;
  /** Next available leaf index. */
  size: number;
}

/** One for each tree, by its id. */
export type Snapshots = readonly TreeSnapshot[];

/** Bytes of a snapshot in a row: root 32, size 6. */
const SNAPSHOT_BYTES = 38;

/** Bytes of a row of `states`. */
export const STATE_BYTES = TREE_IDS.length * SNAPSHOT_BYTES;

export function stateBytes(snapshots: Snapshots): Uint8Array {
  return concat(...snapshots.flatMap(({ root, size }) => [root, positionBytes(size)]));
}

export function readState(row: Uint8Array): Snapshots {
  return TREE_IDS.map((tree) => ({
    root: row.subarray(tree * SNAPSHOT_BYTES, tree * SNAPSHOT_BYTES + 32),
    size: readPosition(row, tree * SNAPSHOT_BYTES + 32),
  }));
}

/** The archive's root in a row of `states`, a view. */
export function archiveRootIn(row: Uint8Array): Uint8Array {
  return row.subarray(ARCHIVE * SNAPSHOT_BYTES, ARCHIVE * SNAPSHOT_BYTES + 32);
}
