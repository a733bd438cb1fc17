import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/**
 * Stored rows of the world state. Integers are big-endian; a position takes 6 bytes, a block 4.
 *
 *   tiles          tile key 7                 -> since 4 | packed tile      the current version
 *   tile history   tile key 7 | last block 4  -> since 4 | packed tile      versions valid in since .. last block; most
 *                                                                           hold what the next replaced (TileRecord)
 *   leaves         tree 1 | position 6        -> value 32, or the key of an indexed leaf
 *   positions      tree 1 | value 32          -> position 6                 append-only trees
 *   keys           tree 1 | key 32            -> index 6 | next index 6 | next key 32 | low before 6 | next before 6
 *                                                [ | since 4 | value 32 ]   see StoredLeaf
 *   value history  slot 32 | last block 4     -> since 4 | value 32
 *   states         block 4                    -> 5 x (root 32 | size 6)     kept for every block
 *   sizes          tree 1 | size 6            -> block 4                    first block with that many leaves
 *   undo           block 4                    -> see UndoRecord             what pruning and unwinding need
 *   meta           "status"                   -> tip 4 | finalized 4 | oldest 4 | archive root of the tip 32
 *                  "genesis"                  -> prefilled entries, 64 each
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
