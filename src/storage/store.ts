import { open, type RootDatabase } from "lmdb";
import { type CommitWatch, CountedCommits } from "./commit-watch.ts";
import { ForeignCommits } from "./foreign-commits.ts";
import { LmdbTable, NO_WRITES } from "./lmdb-table.ts";
import { copyStore } from "./store-copy.ts";
import { StoreCorruptedError, type StoreFault, StoreFullError, storeError } from "./store-errors.ts";
import { type StoreReader, storeReaders } from "./store-readers.ts";
import { type StoreStats, storeStats } from "./store-stats.ts";
import type { Table } from "./table.ts";
import { freeBytes, WriteRoom } from "./write-room.ts";

/**
 * The chain store: one LMDB environment, so that blocks, messages and trees are committed atomically. One writer and
 * any number of readers. Reads in one synchronous run see the same MVCC snapshot.
 */
export interface Store extends CommitWatch {
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
  stats(): StoreStats;
  /** The threads of all processes that have a snapshot now. Those of processes that ended are removed. */
  readers(): StoreReader[];
  /**
   * Copies the latest commit to `directory`, which must be new or empty, while the store is in use. Throws
   * StoreCopyError.
   */
  copyTo(directory: string, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

interface StoreOptions {
  path: string;
  /** Maximum size of the environment. */
  mapSizeKb?: number;
  readOnly?: boolean;
  /**
   * A fault reads one page instead of a window around it (MDB_NORDAHEAD): for a store that may be larger than memory
   * and is read at random places, of which a window has nothing else that is needed. Windows, 128 KiB by default and
   * megabytes on some systems, would drive needed pages out of memory. In a process the first open of a store decides.
   */
  singlePages?: boolean;
  /** Values of a kilobyte and more are compressed by LZ4. A store is always opened with what it was made with. */
  compressed?: boolean;
  /**
   * The store is deleted when the process ends, so that no commit waits for the disk. A commit still outlives a killed
   * process, but not a crash of the machine.
   */
  temporary?: boolean;
  /** `commits` of the writing store, if that is open on another thread. */
  commits?: SharedArrayBuffer;
  /**
   * The store is written by another process, which this one only reads beside. Without `commits`, this store counts the
   * commits of that process, for its own threads as well.
   */
  anotherProcess?: boolean;
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

/** Indices into `commits`. */
const ENDED = 0;
const BEGUN = 1;
/** Nonzero once a thread has found the store damaged. */
const DAMAGED = 2;

class LmdbStore implements Store {
  readonly path: string;
  readonly #root: RootDatabase<Buffer, Buffer>;
  readonly #mapSizeKb: number | undefined;
  readonly #tables = new Map<string, LmdbTable>();
  readonly commits: SharedArrayBuffer;
  readonly #counts: Int32Array;
  readonly #knowsWriter: boolean;
  readonly #watch: CommitWatch;
  readonly #foreign: ForeignCommits | undefined;
  /** Undefined in a reader. */
  readonly #room: WriteRoom | undefined;
  readonly #onFault: StoreOptions["onFault"];
  #depth = 0;
  #seenVersion: number;
  #closed = false;

  constructor(root: RootDatabase<Buffer, Buffer>, options: StoreOptions) {
    const { path, mapSizeKb, commits, readOnly, anotherProcess = false, onFault } = options;
    this.path = path;
    this.#root = root;
    this.#mapSizeKb = mapSizeKb;
    this.commits = commits ?? new SharedArrayBuffer(12);
    this.#counts = new Int32Array(this.commits);
    this.#knowsWriter = !anotherProcess && (commits !== undefined || readOnly !== true);
    this.#watch = new CountedCommits(this.#counts, ENDED);
    this.#foreign = anotherProcess && commits === undefined ? new ForeignCommits(root, () => this.#count()) : undefined;
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

  onCommit(listener: () => void): () => void {
    return this.#watch.onCommit(listener);
  }

  #count(): void {
    Atomics.add(this.#counts, ENDED, 1);
    Atomics.notify(this.#counts, ENDED);
  }

  table(name: string): LmdbTable {
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
      if (this.#depth === 0) this.#count();
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

  stats(): StoreStats {
    const mapBytes = this.#mapSizeKb === undefined ? undefined : this.#mapSizeKb * 1024;
    return storeStats(this.#root, mapBytes, (name) => this.table(name));
  }

  readers(): StoreReader[] {
    this.#root.readerCheck();
    return storeReaders(this.#root);
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
    this.#foreign?.stop();
    if (this.#onFault !== undefined) Atomics.notify(this.#counts, DAMAGED);
    return this.#root.close();
  }
}

/** Throws StoreFullError or StoreCorruptedError, or LMDB's own error. */
export function openStore(options: StoreOptions): Store {
  const { path, mapSizeKb, readOnly, singlePages, compressed, temporary } = options;
  try {
    const root = open<Buffer, Buffer>({
      path,
      encoding: "binary",
      keyEncoding: "binary",
      maxDbs: MAX_TABLES,
      readOnly,
      ...(compressed && { compression: true }),
      ...(temporary && { noSync: true }),
      // An option that lmdb's types do not declare.
      ...(singlePages && ({ noReadAhead: true } as object)),
      ...FREE_PAGES,
      ...(mapSizeKb === undefined ? {} : { mapSize: mapSizeKb * 1024 }),
    });
    return new LmdbStore(root, options);
  } catch (error) {
    throw storeError(path, error);
  }
}
