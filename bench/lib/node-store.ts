import { execFileSync } from "node:child_process";
import { NULLIFIER_TREE } from "../../src/protocol/constants.ts";
import type { Store } from "../../src/storage/store.ts";
import type { Table } from "../../src/storage/table.ts";
import { blockKey } from "../../src/world-state/tables/row-keys.ts";
import { readState, stateBytes } from "../../src/world-state/tables/state-row.ts";
import { parseStatus, readStatusRow, STATUS_BYTES } from "../../src/world-state/tables/status-row.ts";
import { openTables, WORLD_STATE_TABLES as TREES } from "../../src/world-state/tables/tables.ts";

/** Tables with rows of every tree, which begin their keys. */
const BY_TREE: readonly string[] = [
  TREES.tiles,
  TREES.tileHistory,
  TREES.leaves,
  TREES.positions,
  TREES.keys,
  TREES.sizes,
];
/** The first key behind those of the nullifier tree. */
const OTHER_TREES = Uint8Array.of(NULLIFIER_TREE + 1);

function copyRows(from: Table, to: Table, start?: Uint8Array): void {
  const range = { start };
  for (const key of [...to.range(range)].map((row) => row.key.slice())) to.remove(key);
  for (const { key, value } of from.range(range)) to.put(key, value);
}

/**
 * Makes the store of a synthetic state one that a node opens: it gets everything of a node's store but the nullifier
 * tree, and its own nullifier tree becomes that of the node's latest block. Only that block can be asked about
 * nullifiers.
 */
export function becomeNodeStore(store: Store, node: Store): void {
  const tipOf = (of: Store): number => {
    const row = new Uint8Array(STATUS_BYTES);
    readStatusRow(openTables(of), row);
    return parseStatus(row).tip;
  };
  const stateOf = (of: Store) => [...readState(openTables(of).states.get(blockKey(tipOf(of)))!)];
  const snapshots = stateOf(node);
  snapshots[NULLIFIER_TREE] = stateOf(store)[NULLIFIER_TREE];
  const row = stateBytes(snapshots);
  store.transaction(() => {
    for (const name of node.stats().tables.keys()) {
      copyRows(node.table(name), store.table(name), BY_TREE.includes(name) ? OTHER_TREES : undefined);
    }
    openTables(store).states.put(blockKey(tipOf(node)), row);
  });
}

/** Takes a file's pages out of memory, unless a process has it mapped. Needs GNU dd. */
export function forgetPages(file: string): void {
  execFileSync("sync", [file]);
  execFileSync("dd", [`if=${file}`, "iflag=nocache", "count=0", "status=none"]);
}
