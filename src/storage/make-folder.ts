import { mkdirSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

function make(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST" || !statSync(path).isDirectory()) throw error;
  }
}

/**
 * Makes a folder and those above it that are missing; one that is there stays as it is. Not mkdir with `recursive`,
 * which never returns where the system says that the parent is missing though it is there (as in /proc). Throws the
 * system's error.
 */
export function makeFolder(path: string, mode?: number): void {
  const missing = [resolve(path)];
  for (;;) {
    const [at] = missing;
    try {
      make(at, mode);
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "ENOENT" || at === dirname(at)) throw error;
      missing.unshift(dirname(at));
    }
  }
  for (const folder of missing.slice(1)) make(folder, mode);
}
