import { closeSync, existsSync, fsyncSync, openSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

/** Beginnings of the names of temporary folders in a data directory. */
export const UPLOAD_FOLDER = "snapshot-upload-";
export const RESTORE_FOLDER = "snapshot-restore-";

/**
 * How a verified copy takes the place of the chain store, in folders of the data directory:
 *
 *     chain-next   the copy, whole and verified
 *     chain        the store
 *     chain-old    the store that was replaced
 *
 * The steps, each a rename that a kill either has done or has not:
 *
 *     1  <copy> -> chain-next      2  chain -> chain-old      3  chain-next -> chain      4  chain-old is removed
 *
 * A start finds the old store (before 2), or no store and the copy, which then takes its place (before 3), or the new store.
 */
const CURRENT = "chain";
const NEXT = "chain-next";
const OLD = "chain-old";

function syncToDisk(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** The steps above, to be run in order. `copy` is a folder in the data directory's file system that holds an LMDB environment. */
export function swapSteps(directory: string, copy: string): readonly (() => void)[] {
  const at = (name: string) => join(directory, name);
  const move = (from: string, to: string) => () => {
    renameSync(from, to);
    syncToDisk(directory);
  };
  return [
    () => {
      // The lock file knows processes, not data.
      rmSync(join(copy, "lock.mdb"), { force: true });
      syncToDisk(join(copy, "data.mdb"));
      syncToDisk(copy);
    },
    move(copy, at(NEXT)),
    move(at(CURRENT), at(OLD)),
    move(at(NEXT), at(CURRENT)),
    () => rmSync(at(OLD), { recursive: true, force: true }),
  ];
}

/** Puts a verified copy in the place of the chain store, which nobody may have open. When it fails the old store stays. */
export function swapIn(directory: string, copy: string): void {
  const steps = swapSteps(directory, copy);
  const removeOld = steps[steps.length - 1];
  try {
    for (const step of steps.slice(0, -1)) step();
  } catch (error) {
    const [current, old] = [join(directory, CURRENT), join(directory, OLD)];
    if (!existsSync(current) && existsSync(old)) renameSync(old, current);
    rmSync(join(directory, NEXT), { recursive: true, force: true });
    throw error;
  }
  try {
    removeOld();
  } catch {
    // The next start tries again.
  }
}

/** Ends what a killed process left half done in a data directory, and removes its temporary folders. Before the store is opened. */
export function finishSwap(directory: string): void {
  const at = (name: string) => join(directory, name);
  if (!existsSync(at(CURRENT))) {
    if (existsSync(at(NEXT))) renameSync(at(NEXT), at(CURRENT));
    else if (existsSync(at(OLD))) renameSync(at(OLD), at(CURRENT));
  }
  const leftovers = readdirSync(directory).filter(
    (name) => name === NEXT || name === OLD || name.startsWith(UPLOAD_FOLDER) || name.startsWith(RESTORE_FOLDER),
  );
  for (const name of leftovers) rmSync(at(name), { recursive: true, force: true });
}
