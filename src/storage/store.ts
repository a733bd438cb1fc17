import { type Database, open, type RootDatabase } from "lmdb";
import { borrowedValue, openBorrowing } from "./borrowed-bytes.ts";
import { copyStore } from "./store-copy.ts";
import { StoreCorruptedError, type StoreFault, StoreFullError, storeError } from "./store-errors.ts";
import { freeBytes, WriteRoom } from "./write-room.ts";

/** Ordered table of byte keys (at most 1,978 bytes) and byte values inside the store's one LMDB environment. */
export interface Table {
  get(key: Uint8Array): Uint8Array | undefined;
  /** As get, but the bytes are lost with the next read of any table. */
  borrow(key: Uint8Array): Uint8Array | undefined;
  /** Copies a value to `out`, which has to be large enough, from `at` (0) on. Returns its length, -1 for an absent key. */
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
  /** As atOrBefore, but the entry's bytes are lost with the next read of any table. */
  borrowAtOrBefore(key: Uint8Array): Entry | undefined;
  /** Entries in key order, `start` inclusive, `end` exclusive. Must be consumed in the same synchronous run. */
  range(options: RangeOptions): Iterable<Entry>;
  /** As range, but an entry's bytes are lost with the next read of any table: quicker, for entries that are looked at at once. */
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
 * The chain store: one LMDB environment, so that blocks, messages and trees commit together. One writer; any number of readers,
 * each synchronous run of reads sees one MVCC snapshot.
 */
export interface Store {
  readonly path: string;
  /** Counts of transactions begun and ended, and whether damage was found; for StoreOptions of readers on other threads. */
  readonly commits: SharedArrayBuffer;
  /** Changes with every commit. Reads that follow see at least what had been committed when it was asked. */
  version(): number;
  /**
   * The version that was asked for last, as long as no transaction has begun since: what has been read since then is that commit's.
   * Always undefined for a reader that was not given the `commits` of the store that writes.
   */
  current(): number | undefined;
  table(name: string): Table;
  /** Runs `work` in one write transaction: everything or, when it throws, nothing. Throws StoreFullError too. */
  transaction<T>(work: () => T): T;
  /** Free bytes of the disk that the store is on. */
  freeBytes(): number;
  /** Writes the latest commit to the folder `directory`, which must be new or empty, while the store is in use. Throws StoreCopyError. */
  copyTo(directory: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface StoreOptions {
  path: string;
  /** Largest size of the environment. */
  mapSizeKb?: number;
  readOnly?: boolean;
  /** Of the store that writes, when that is open on another thread. */
  commits?: SharedArrayBuffer;
  /** Told when the store can be written no more, or is found to be damaged, beside the throw. Must not throw. */
  onFault?(fault: StoreFault): void;
}

const MAX_TABLES = 48;
/**
 * Free pages, as runs of neighbours, that LMDB gathers before it takes what it has, and those that it keeps from one commit to the
 * next. Each commit compares all it has gathered with one another: after a large unwinding its defaults, 50,000 and 75,000, make a
 * small commit take up to 0.2 s. Pages that are not gathered yet are used later.
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

/** Without an end, one that is named, lmdb stops before the key of one zero byte. */
const BACK_TO_THE_FIRST = { end: undefined, reverse: true } as const;

/** Told of rows before they are written. */
type Writes = Pick<WriteRoom, "row">;

const NO_WRITES: Writes = { row: () => {} };

class LmdbTable implements Table {
  readonly #db: Database<Uint8Array, Uint8Array>;
  readonly #borrowing: Database<Uint8Array, Uint8Array>;
  /** One range for all searches, which takes its options when an iteration begins: making one costs as much as a search. */
  readonly #upTo = { start: new Uint8Array(0) as Uint8Array, ...BACK_TO_THE_FIRST };
  readonly #backwards: Iterable<Entry>;

  readonly #writes: Writes;
  /** The error to throw for one of a read. */
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

/** Words of `commits`. */
const ENDED = 0;
const BEGUN = 1;
/** Not 0 once a thread has found the store damaged. */
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
    this.#heedReaders();
  }

  version(): number {
    const version = Atomics.load(this.#counts, ENDED);
    if (version !== this.#seenVersion) {
      this.#seenVersion = version;
      // A snapshot lives until the event loop's next turn, and may be older than that commit.
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
      // One that is not there yet is made, which is a write.
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

  /** Of a read outside of a transaction at once; inside of one, the transaction ends with it. */
  #readFailed(cause: unknown): unknown {
    return this.#depth === 0 ? this.#failed(cause) : storeError(this.path, cause);
  }

  /** Has `onFault` told of damage that readers on other threads find. */
  #heedReaders(): void {
    if (this.#onFault === undefined) return;
    const waiting = Atomics.waitAsync(this.#counts, DAMAGED, 0);
    if (!waiting.async) return;
    void waiting.value.then(() => {
      if (!this.#closed) this.#onFault?.(new StoreCorruptedError(this.path, "a reading thread found a damaged page"));
    });
  }

  /** The error to throw for one of LMDB's, after the owner of the store was told of a fault. */
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
      // A killed reader would keep its pages from being used again.
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
