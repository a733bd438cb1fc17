import type { Database, RootDatabase } from "lmdb";
import { borrowedValue, openBorrowing } from "./borrowed-bytes.ts";
import type { Entry, RangeOptions, Table } from "./table.ts";
import type { WriteRoom } from "./write-room.ts";

/** `end` must be set explicitly: otherwise lmdb stops before the key that is a single zero byte. */
const BACK_TO_THE_FIRST = { end: undefined, reverse: true } as const;

/** Called with each row before it is written. */
type Writes = Pick<WriteRoom, "row">;

export const NO_WRITES: Writes = { row: () => {} };

/** A store that is open for reading only does not have a table. */
export class MissingTableError extends Error {
  readonly table: string;

  constructor(table: string) {
    super(`the store has no table ${table}`);
    this.name = "MissingTableError";
    this.table = table;
  }
}

/** A table as a named database of an LMDB environment. */
export class LmdbTable implements Table {
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
    try {
      this.#db = root.openDB<Uint8Array, Uint8Array>({ name, encoding: "binary", keyEncoding: "binary" });
    } catch (error) {
      throw failed(error);
    }
    // A store that is open for reading only does not create it.
    if (this.#db === undefined) throw new MissingTableError(name);
    this.#borrowing = openBorrowing(root, name);
    this.#backwards = this.#borrowing.getRange(this.#upTo);
  }

  /** What LMDB counts of the table. */
  getStats(): object {
    return this.#db.getStats();
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
