import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { PartValues } from "../../../config/part-values.ts";
import { inspectStore } from "../../../storage/inspect.ts";
import { openStore } from "../../../storage/store.ts";
import type { StoreStats } from "../../../storage/store-stats.ts";

export interface NamedStats extends StoreStats {
  /** Folder in the data directory. */
  readonly name: string;
  /** Free bytes of its disk. */
  readonly diskFreeBytes: number;
}

/** Folders of a data directory that hold a database, in the order of their names. */
export function databasesIn(directory: string): string[] {
  return readdirSync(directory, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && existsSync(join(directory, entry.name, "data.mdb")))
    .map(({ name }) => name)
    .sort();
}

/** Largest size that a node with these options lets a database reach; undefined where it has none. */
function mapSizeOf(name: string, { mapSizeKb, poolMapSizeKb }: PartValues["storage"]): number | undefined {
  if (name === "chain") return mapSizeKb;
  return name === "pool" ? (poolMapSizeKb ?? mapSizeKb) : undefined;
}

/** Sizes of a database, read beside a node that may run on it. Throws a DamagedStoreError or LMDB's error. */
export async function readStats(directory: string, name: string, sizes: PartValues["storage"]): Promise<NamedStats> {
  const path = join(directory, name);
  inspectStore(path);
  const store = openStore({ path, readOnly: true });
  try {
    const sizeKb = mapSizeOf(name, sizes);
    const mapBytes = sizeKb === undefined ? undefined : sizeKb * 1024;
    return { ...store.stats(), name, mapBytes, diskFreeBytes: store.freeBytes() };
  } finally {
    await store.close();
  }
}
