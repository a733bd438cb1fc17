import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";

/** File systems that are not storage. */
const NO_STORAGE = ["/proc", "/sys", "/dev"];
const MEMORY_DISK = "/dev/shm";

function within(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder + sep);
}

/** Resolves symbolic links of the part of a path that exists. */
function nearestExisting(path: string): string {
  for (let at = resolve(path); ; at = dirname(at)) {
    try {
      return realpathSync(at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (at === dirname(at) || (code !== "ENOENT" && code !== "ENOTDIR")) throw error;
    }
  }
}

/** Why objects cannot be written below a folder, which need not exist yet; undefined if there is no known reason. */
export function unwritableFolder(path: string): string | undefined {
  try {
    const existing = nearestExisting(path);
    const special = NO_STORAGE.find((folder) => within(existing, folder));
    if (special !== undefined && !within(existing, MEMORY_DISK)) return `${special} is no storage`;
    if (!statSync(existing).isDirectory()) return `${existing} is not a folder`;
    accessSync(existing, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    return `it cannot be written (${(error as NodeJS.ErrnoException).code})`;
  }
}

/**
 * Creates a folder and its parents. Node.js's recursive mkdir never ends if the system returns ENOENT below an existing
 * folder, as in /proc. Rejects with the file system's error.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EEXIST" && (await stat(path)).isDirectory()) return;
    const parent = dirname(path);
    if (code !== "ENOENT" || parent === path) throw error;
    await makeFolder(parent);
    await mkdir(path).catch(async (again: NodeJS.ErrnoException) => {
      // Another upload may have created it meanwhile.
      if (again.code !== "EEXIST" || !(await stat(path)).isDirectory()) throw again;
    });
  }
}
