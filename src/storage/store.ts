import { type Database, open, type RootDatabase } from "lmdb";
import { copyStore } from "./store-copy.ts";

/** Ordered table of byte keys (at most 1,978 bytes) and byte values inside the store's one LMDB environment. */
export interface Table {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Copies a value to the start of `out`, which has to be large enough. Returns its length, -1 for an absent key. */
  readInto(key: Uint8Array, out: Uint8Array): number;
  has(key: Uint8Array): boolean;
  /** Only inside Store.transaction. */
  put(key: Uint8Array, value: Uint8Array): void;
  /** Only inside Store.transaction. Absent keys are ignored. */
  remove(key: Uint8Array): void;
  /** Removes every entry. Only inside Store.transaction. */
  clear(): void;
  /** First entry with key >= `key`. */
  atOrAfter(key: Uint8Array): Entry | undefined;
  /** Last entry with key <= `key`. */
  atOrBefore(key: Uint8Array): Entry | undefined;
  /** Entries in key order, `start` inclusive, `end` exclusive. Must be consumed in the same synchronous run. */
  range(options: { start?: Uint8Array; end?: Uint8Array; reverse?: boolean; limit?: number }): Iterable<Entry>;
}

export interface Entry {
  key: Uint8Array;
  value: Uint8Array;
}

/**
 * The chain store: one LMDB environment, so that blocks, messages and trees commit together. One writer; any number of readers,
 * each synchronous run of reads sees one MVCC snapshot.
 */
export interface Store {
  readonly path: string;
  table(name: string): Table;
  /** Runs `work` in one write transaction: everything or, when it throws, nothing. */
  transaction<T>(work: () => T): T;
  /** Writes the latest commit to the folder `directory`, which must be new or empty, while the store is in use. Throws StoreCopyError. */
  copyTo(directory: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  path: string;
  /** Largest size of the environment. */
  mapSizeKb?: number;
  readOnly?: boolean;
}

const MAX_TABLES = 48;

/** Byte order of LMDB keys: the smallest key that sorts after every key with this prefix. */
export function prefixEnd(prefix: Uint8Array): Uint8Array | undefined {
  const end = Uint8Array.from(prefix);
  for (let i = end.length - 1; i >= 0; i--) {
    if (end[i] < 255) {
      end[i]++;
      return end.subarray(0, i + 1);
    }
  }
  return undefined;
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
}

class LmdbTable implements Table {
  readonly #db: Database<Buffer, Uint8Array>;

  constructor(db: Database<Buffer, Uint8Array>) {
    this.#db = db;
  }

  get(key: Uint8Array): Uint8Array | undefined {
    return this.#db.get(key);
  }

  readInto(key: Uint8Array, out: Uint8Array): number {
    // A view of a buffer that the next read overwrites; its own length is the value's, that of the memory is not.
    const value = this.#db.getBinaryFast(key);
    if (value === undefined) return -1;
    const { length } = value;
    out.set(value.subarray(0, length));
    return length;
  }

  has(key: Uint8Array): boolean {
    return this.#db.doesExist(key);
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#db.putSync(asBuffer(key), asBuffer(value));
  }

  remove(key: Uint8Array): void {
    this.#db.removeSync(asBuffer(key));
  }

  clear(): void {
    this.#db.clearSync();
  }

  atOrAfter(key: Uint8Array): Entry | undefined {
    return first(this.#db.getRange({ start: key, limit: 1 }));
  }

  atOrBefore(key: Uint8Array): Entry | undefined {
    return first(this.#db.getRange({ start: key, reverse: true, limit: 1 }));
  }

  range({ start, end, reverse, limit }: Parameters<Table["range"]>[0]): Iterable<Entry> {
    return this.#db.getRange({ start, end, reverse: reverse ?? false, limit });
  }
}

function first(entries: Iterable<Entry>): Entry | undefined {
  for (const entry of entries) return entry;
  return undefined;
}

class LmdbStore implements Store {
  readonly path: string;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #mapSizeKb: number | undefined;
  readonly #tables = new Map<string, Table>();
  #closed = false;

  constructor(path: string, root: RootDatabase<Buffer, Buffer>, mapSizeKb: number | undefined) {
    this.path = path;
    this.#root = root;
    this.#mapSizeKb = mapSizeKb;
  }

  table(name: string): Table {
    let table = this.#tables.get(name);
    if (table === undefined) {
      table = new LmdbTable(this.#root.openDB<Buffer, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" }));
      this.#tables.set(name, table);
    }
    return table;
  }

  transaction<T>(work: () => T): T {
    return this.#root.transactionSync(work);
  }

  async copyTo(directory: string, signal?: AbortSignal): Promise<void> {
    try {
      await copyStore({ path: this.path, target: directory, mapSizeKb: this.#mapSizeKb }, signal);
    } finally {
      // A killed reader would keep its pages from being used again.
      if (!this.#closed) this.#root.readerCheck();
    }
  }

  close(): Promise<void> {
    this.#closed = true;
    return this.#root.close();
  }
}

export function openStore({ path, mapSizeKb, readOnly }: StoreOptions): Store {
  const root = open<Buffer, Buffer>({
    path,
    encoding: "binary",
    keyEncoding: "binary",
    maxDbs: MAX_TABLES,
    readOnly,
    ...(mapSizeKb === undefined ? {} : { mapSize: mapSizeKb * 1024 }),
  });
  return new LmdbStore(path, root, mapSizeKb);
}
