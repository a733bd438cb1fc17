import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { durableRename, syncToDisk } from "../storage/durable-rename.ts";
import { makeFolder } from "../storage/make-folder.ts";

/** What a network keeps in its data directory: of the node, and of L1 too. */
export const NODE_STATE = ["chain", "pool", "l1-tx-utils"] as const;
export const WHOLE_STATE = [...NODE_STATE, "l1-state.json", "l1-journal", "l1-contracts.json"] as const;

/** Prefix of folders in which a state is gathered or unpacked, and the folder of snapshots. */
export const STATE_FOLDER = "state-part-";
export const SNAPSHOT_FOLDER = "state-snapshots";

/**
 * Replaces the state of a network by that in a folder of its data directory:
 *
 *     1  <folder> -> state-next         from here on the new state holds
 *     2  what is replaced is removed
 *     3  state-next -> state-placed
 *     4  each member of state-placed is moved to its place
 *     5  state-placed is removed
 *
 * Each rename is atomic, and each step can be repeated after a kill. `replaces.json` in the folder lists the names that
 * are replaced; those without a member in the folder are only removed.
 */
const NEXT = "state-next";
const PLACED = "state-placed";
const REPLACES = "replaces.json";

/**
 * Step 1. `folder` must be on the directory's file system, and nothing of the state in use when the swap is finished.
 */
export function commitSwap(directory: string, folder: string, replaces: readonly string[]): void {
  const list = join(folder, REPLACES);
  writeFileSync(list, JSON.stringify(replaces), { flush: true });
  for (const name of readdirSync(folder, { recursive: true, encoding: "utf8" })) syncToDisk(join(folder, name));
  syncToDisk(folder);
  durableRename(folder, join(directory, NEXT));
}

/** Takes step 1 back. */
export function cancelSwap(directory: string, folder: string): void {
  durableRename(join(directory, NEXT), folder);
}

/** Steps 2 to 5, and removal of what a killed process has left. Must run before anything of the state is opened. */
export function finishStateSwap(directory: string): void {
  const [next, placed] = [join(directory, NEXT), join(directory, PLACED)];
  if (existsSync(placed)) place(directory, placed);
  if (existsSync(next)) {
    for (const name of replacedBy(next)) rmSync(join(directory, name), { recursive: true, force: true });
    durableRename(next, placed);
    place(directory, placed);
  }
}

/** Removes snapshots, which end with the L1 that they belong to, and what an interrupted dump or load has left. */
export function removeLeftovers(directory: string): void {
  for (const name of readdirSync(directory)) {
    if (name.startsWith(STATE_FOLDER) || name === SNAPSHOT_FOLDER) {
      rmSync(join(directory, name), { recursive: true, force: true });
    }
  }
}

function replacedBy(folder: string): string[] {
  const names: unknown = JSON.parse(readFileSync(join(folder, REPLACES), "utf8"));
  return Array.isArray(names) ? names.filter((name) => (WHOLE_STATE as readonly unknown[]).includes(name)) : [];
}

function place(directory: string, placed: string): void {
  for (const name of replacedBy(placed)) {
    const [from, to] = [join(placed, name), join(directory, name)];
    if (!existsSync(from)) continue;
    // A start may have made an empty folder meanwhile.
    rmSync(to, { recursive: true, force: true });
    durableRename(from, to);
  }
  makeFolder(join(directory, "chain"));
  rmSync(placed, { recursive: true, force: true });
}
