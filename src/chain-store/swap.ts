import { existsSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { durableRename, syncToDisk } from "../storage/durable-rename.ts";

/** Prefixes of temporary folders in a data directory. */
export const UPLOAD_FOLDER = "snapshot-upload-";
export const RESTORE_FOLDER = "snapshot-restore-";

/**
 * Replaces the chain store with a verified copy. Folders in the data directory:
 *
 *     chain-next   the copy, complete and verified
 *     chain        the store
 *     chain-old    the store that was replaced
 *
 * The steps. Each rename is atomic, even if the process is killed:
 *
 *     1  <copy> -> chain-next      2  chain -> chain-old      3  chain-next -> chain      4  chain-old is removed
 *
 * After a crash, the next start finds the old store (before 2), only the copy, which it moves in place (before 3), or
 * the new store.
 */
const CURRENT = "chain";
const NEXT = "chain-next";
const OLD = "chain-old";

/** The steps above, in order. `copy` is a folder with an LMDB environment on the data directory's file system. */
export function swapSteps(directory: string, copy: string): readonly (() => void)[] {
  const at = (name: string) => join(directory, name);
  const move = (from: string, to: string) => () => durableRename(from, to);
  return [
    () => {
      // The lock file contains only process state.
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

/** Replaces the chain store, which must not be open, with a verified copy. If this fails, the old store stays. */
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
    // Ignored: the next start tries again.
  }
}

/** Completes an interrupted swap and deletes temporary folders. Must run before the store is opened. */
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
