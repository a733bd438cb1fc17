import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";

/** Writes a file or the entries of a folder to the disk. Throws the system's error. */
export function syncToDisk(path: string): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Renames within a file system: atomic, and on the disk when it returns. Throws the system's error. */
export function durableRename(from: string, to: string): void {
  renameSync(from, to);
  syncToDisk(dirname(to));
}
