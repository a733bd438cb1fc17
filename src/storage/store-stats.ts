import type { RootDatabase } from "lmdb";
import { storeReaders } from "./store-readers.ts";

interface TableStats {
  readonly entries: number;
  /** Of its pages. */
  readonly bytes: number;
}

/** Sizes of a store's environment, as of the latest commit. */
export interface StoreStats {
  /** Of the environment, as configured; undefined where it may grow. */
  readonly mapBytes: number | undefined;
  /** Of the file up to its last page. */
  readonly fileBytes: number;
  /** Pages of the file that no table uses. */
  readonly freePages: number;
  readonly pageBytes: number;
  readonly readers: number;
  /** Commits since the snapshot that has been read longest; 0 if none is read. */
  readonly readerLag: number;
  readonly tables: ReadonlyMap<string, TableStats>;
}

/** What lmdb-js tells of a database (mdb_stat), without a type of its own there. */
interface DatabaseStat {
  pageSize: number;
  treeBranchPageCount: number;
  treeLeafPageCount: number;
  overflowPages: number;
  entryCount: number;
}

interface EnvironmentStat extends DatabaseStat {
  root: DatabaseStat;
  free: DatabaseStat;
  lastPageNumber: number;
  numReaders: number;
}

/** Two pages of an environment hold its meta data. */
const META_PAGES = 2;

function pagesOf({ treeBranchPageCount, treeLeafPageCount, overflowPages }: DatabaseStat): number {
  return treeBranchPageCount + treeLeafPageCount + overflowPages;
}

/** Reads counters that LMDB keeps; no data page is visited. `open` opens an existing table. */
export function storeStats(
  root: RootDatabase<Buffer, Buffer>,
  mapBytes: number | undefined,
  open: (name: string) => { getStats(): object },
): StoreStats {
  const environment = root.getStats() as EnvironmentStat;
  const { pageSize, lastPageNumber, numReaders } = environment;
  const tables = new Map<string, TableStats>();
  let used = META_PAGES + pagesOf(environment.root) + pagesOf(environment.free);
  // Listed first: a table cannot be opened while a cursor reads. LMDB ends a name with a zero byte.
  const names = [...root.getKeys()].map((key) =>
    Buffer.from(key as Uint8Array)
      .toString("latin1")
      .replace(/\0$/, ""),
  );
  for (const name of names) {
    const stat = open(name).getStats() as DatabaseStat;
    const pages = pagesOf(stat);
    used += pages;
    tables.set(name, { entries: stat.entryCount, bytes: pages * pageSize });
  }
  const filePages = lastPageNumber + 1;
  return {
    mapBytes,
    fileBytes: filePages * pageSize,
    freePages: Math.max(0, filePages - used),
    pageBytes: pageSize,
    readers: numReaders,
    readerLag: Math.max(0, ...storeReaders(root).map(({ behind }) => behind)),
    tables,
  };
}
