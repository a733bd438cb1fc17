import { type Database, open, type RootDatabase } from "lmdb";
import { borrowedValue, openBorrowing } from "./borrowed-bytes.ts";
import { copyStore } from "./store-copy.ts";
import { StoreCorruptedError, type StoreFault, StoreFullError, storeError } from "./store-errors.ts";
import { freeBytes, WriteRoom } from "./write-room.ts";

/** Ordered table of byte keys (at most 1,978 bytes) and byte values inside the store's one LMDB environment. */
export interface Table {
  get(key: Uint8Array): Uint8Array | undefined;
  /** Like `get`, but the bytes are valid only until the next read of any table. */
  borrow(key: Uint8Array): Uint8Array | undefined;
  /**
   * Copies a value to `out` at offset `at` (default 0). `out` must be large enough. Returns the length, -1 for an
   * absent key.
   */
  readInto(key: Uint8Array, out: Uint8Array, at?: number): number;
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
  /** Like `atOrBefore`, but the entry's bytes are valid only until the next read of any table. */
  borrowAtOrBefore(key: Uint8Array): Entry | undefined;
  /** Entries in key order, `start` inclusive, `end` exclusive. Must be consumed synchronously. */
  range(options: RangeOptions): Iterable<Entry>;
  /** Like `range` but faster: an entry's bytes are valid only until the next read of any table. */
  scan(options: RangeOptions): Iterable<Entry>;
}

export interface RangeOptions {
  start?: Uint8Array;
  end?: Uint8Array;
  reverse?: boolean;
  limit?: number;
}

export interface Entry {
  key: Uint8Array;
  value: Uint8Array;
}

/**
 * The chain store: one LMDB environment, so that blocks, messages and trees are committed atomically. One writer and
 * any number of readers. Reads in one synchronous run see the same MVCC snapshot.
 */
export interface Store {
  readonly path: string;
  /**
   * Shared counters of started and ended transactions, and a damage flag. Pass it in the StoreOptions of readers on
   * other threads.
   */
  readonly commits: SharedArrayBuffer;
  /** Changes with every commit. Later reads see at least the commits made before this call. */
  version(): number;
  /**
   * The last result of `version`, if no transaction has started since: all reads since then belong to that commit.
   * Otherwise undefined, as it always is for a reader without the `commits` of the writing store.
   */
  current(): number | undefined;
  table(name: string): Table;
  /** Runs `work` in one write transaction. If it throws, nothing is written. Also throws StoreFullError. */
  transaction<T>(work: () => T): T;
  /** Free space on the store's disk, in bytes. */
  freeBytes(): number;
  /**
   * Copies the latest commit to `directory`, which must be new or empty, while the store is in use. Throws
   * StoreCopyError.
   */
  copyTo(directory: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  path: string;
  /** Maximum size of the environment. */
  mapSizeKb?: number;
  readOnly?: boolean;
  /** `commits` of the writing store, if that is open on another thread. */
  commits?: SharedArrayBuffer;
  /** Called when the store can no longer be written or is damaged, in addition to the thrown error. Must not throw. */
  onFault?(fault: StoreFault): void;
}

const MAX_TABLES = 48;
/**
 * Free pages, as runs of neighbours, that LMDB gathers before it takes what it has, and those that it keeps from one
 * commit to the next. Each commit compares all it has gathered with one another: after a large unwinding its defaults,
 * 50,000 and 75,000, make a small commit take up to 0.2 s. Pages that are not gathered yet are used later.
 */
const FREE_PAGES = { maxFreeSpaceToLoad: 1000, maxFreeSpaceToRetain: 2000 };

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

/** `end` must be set explicitly: otherwise lmdb stops before the key that is a single zero byte. */
const BACK_TO_THE_FIRST = { end: undefined, reverse: true } as const;

/** Called with each row before it is written. */
type Writes = Pick<WriteRoom, "row">;

const NO_WRITES: Writes = { row: () => {} };

class LmdbTable implements Table {
  readonly #db: Database<Uint8Array, Uint8Array>;
  readonly #borrowing: Database<Uint8Array, Uint8Array>;
  /**
   * Options of a range that is reused for all searches, since creating a range costs as much as a search. Read when an
   * iteration starts.
   */
  readonly #upTo = { start: new Uint8Array(0) as Uint8Array, ...BACK_TO_THE_FIRST };
  readonly #backwards: Iterable<Entry>;

  readonly #writes: Writes;
  /** Converts the error of a read to the one to throw. */
  readonly #failed: (cause: unknown) => unknown;

  constructor(
    root: RootDatabase<Buffer, Buffer>,
    name: string,
    { writes, failed }: { writes: Writes; failed: (cause: unknown) => unknown },
  ) {
    this.#writes = writes;
    this.#failed = failed;
    this.#db = root.openDB<Uint8Array, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" });
    this.#borrowing = openBorrowing(root, name);
    this.#backwards = this.#borrowing.getRange(this.#upTo);
  }

  get(key: Uint8Array): Uint8Array | undefined {
    try {
      return this.#db.get(key);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  borrow(key: Uint8Array): Uint8Array | undefined {
    try {
      const value = this.#db.getBinaryFast(key);
      return value && borrowedValue(value, value.length);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  readInto(key: Uint8Array, out: Uint8Array, at = 0): number {
    const value = this.borrow(key);
    if (value === undefined) return -1;
    out.set(value, at);
    return value.length;
  }

  has(key: Uint8Array): boolean {
    try {
      return this.#db.doesExist(key);
    } catch (error) {
      throw this.#failed(error);
    }
  }

  put(key: Uint8Array, value: Uint8Array): void {
    this.#writes.row(value.length);
    this.#db.putSync(key, value);
  }

  remove(key: Uint8Array): void {
    this.#writes.row(0);
    this.#db.removeSync(key);
  }

  clear(): void {
    this.#writes.row(0);
    this.#db.clearSync();
  }

  atOrAfter(key: Uint8Array): Entry | undefined {
    return this.#first(this.#db.getRange({ start: key, limit: 1 }));
  }

  atOrBefore(key: Uint8Array): Entry | undefined {
    return this.#first(this.#db.getRange({ start: key, ...BACK_TO_THE_FIRST, limit: 1 }));
  }

  borrowAtOrBefore(key: Uint8Array): Entry | undefined {
    this.#upTo.start = key;
    return this.#first(this.#backwards);
  }

  #first(entries: Iterable<Entry>): Entry | undefined {
    try {
      for (const entry of entries) return entry;
      return undefined;
    } catch (error) {
      throw this.#failed(error);
    }
  }

  range({ start, end, reverse, limit }: RangeOptions): Iterable<Entry> {
    return this.#db.getRange({ start, end, reverse: reverse ?? false, limit });
  }

  scan({ start, end, reverse, limit }: RangeOptions): Iterable<Entry> {
    return this.#borrowing.getRange({ start, end, reverse: reverse ?? false, limit });
  }
}

/** Indices into `commits`. */
const ENDED = 0;
const BEGUN = 1;
/** Nonzero once a thread has found the store damaged. */
const DAMAGED = 2;

class LmdbStore implements Store {
  readonly path: string;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #mapSizeKb: number | undefined;
  readonly #tables = new Map<string, Table>();
  readonly commits: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #knowsWriter: boolean;
  /** Undefined in a reader. */
  readonly #room: WriteRoom | undefined;
  readonly #onFault: StoreOptions["onFault"];
  #depth = 0;
  #seenVersion: number;
  #closed = false;

  constructor(root: RootDatabase<Buffer, Buffer>, { path, mapSizeKb, commits, readOnly, onFault }: StoreOptions) {
    this.path = path;
    this.#root = root;
    this.#mapSizeKb = mapSizeKb;
    this.commits = commits ?? new SharedArrayBuffer(12);
    this.#counts = new Int32Array(this.commits);
    this.#knowsWriter = commits !== undefined || readOnly !== true;
    this.#seenVersion = Atomics.load(this.#counts, ENDED);
    this.#onFault = onFault;
    this.#room = readOnly ? undefined : new WriteRoom(path, (mapSizeKb ?? Number.POSITIVE_INFINITY) * 1024);
    this.#watchReaders();
  }

  version(): number {
    const version = Atomics.load(this.#counts, ENDED);
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      // The current snapshot lasts until the next turn of the event loop and may be older than that commit.
      this.#root.resetReadTxn();
    }
    return version;
  }

  current(): number | undefined {
    return this.#knowsWriter && Atomics.load(this.#counts, BEGUN) === this.#seenVersion ? this.#seenVersion : undefined;
  }

  table(name: string): Table {
    let table = this.#tables.get(name);
    if (table === undefined) {
      // A missing table is created, which is a write.
      if (this.#depth === 0) this.#room?.begin();
      table = new LmdbTable(this.#root, name, {
        writes: this.#room ?? NO_WRITES,
        failed: (cause) => this.#readFailed(cause),
      });
      this.#tables.set(name, table);
    }
    return table;
  }

  transaction<T>(work: () => T): T {
    if (this.#depth === 0) Atomics.add(this.#counts, BEGUN, 1);
    this.#depth++;
    try {
      if (this.#depth === 1) this.#room?.begin();
      return this.#root.transactionSync(work);
    } catch (error) {
      if (this.#depth > 1) throw error;
      throw this.#failed(error);
    } finally {
      this.#depth--;
      if (this.#depth === 0) Atomics.add(this.#counts, ENDED, 1);
    }
  }

  /** Converts the error of a read. Inside a transaction, `onFault` is called only when the transaction ends. */
  #readFailed(cause: unknown): unknown {
    return this.#depth === 0 ? this.#failed(cause) : storeError(this.path, cause);
  }

  /** Calls `onFault` when a reader on another thread finds damage. */
  #watchReaders(): void {
    if (this.#onFault === undefined) return;
    const waiting = Atomics.waitAsync(this.#counts, DAMAGED, 0);
    if (!waiting.async) return;
    void waiting.value.then(() => {
      if (!this.#closed) this.#onFault?.(new StoreCorruptedError(this.path, "a reading thread found a damaged page"));
    });
  }

  /** Converts an error of LMDB to the one to throw, and calls `onFault` if it is a fault. */
  #failed(cause: unknown): unknown {
    const error = storeError(this.path, cause);
    if (error instanceof StoreFullError || error instanceof StoreCorruptedError) this.#onFault?.(error);
    if (error instanceof StoreCorruptedError && this.#onFault === undefined) {
      Atomics.store(this.#counts, DAMAGED, 1);
      Atomics.notify(this.#counts, DAMAGED);
    }
    return error;
  }

  freeBytes(): number {
    return freeBytes(this.path);
  }

  async copyTo(directory: string, signal?: AbortSignal): Promise<void> {
    try {
      await copyStore({ path: this.path, target: directory, mapSizeKb: this.#mapSizeKb }, signal);
    } finally {
      // Otherwise LMDB would not reuse the pages that a killed reader had pinned.
      if (!this.#closed) this.#root.readerCheck();
    }
  }

  close(): Promise<void> {
    if (!this.#closed) this.#room?.close();
    this.#closed = true;
    if (this.#onFault !== undefined) Atomics.notify(this.#counts, DAMAGED);
    return this.#root.close();
  }
}

/** Throws StoreFullError or StoreCorruptedError, or LMDB's own error. */
export function openStore(options: StoreOptions): Store {
  const { path, mapSizeKb, readOnly } = options;
  try {
    const root = open<Buffer, Buffer>({
      path,
      encoding: "binary",
      keyEncoding: "binary",
      maxDbs: MAX_TABLES,
      readOnly,
      ...FREE_PAGES,
      ...(mapSizeKb === undefined ? {} : { mapSize: mapSizeKb * 1024 }),
    });
    return new LmdbStore(root, options);
  } catch (error) {
    throw storeError(path, error);
  }
}
