import type { PoolStore } from "../../../src/mempool/pool/pool-store.ts";
import type { Entry, Table } from "../../../src/storage/table.ts";

type Rows = Map<string, Uint8Array>;

const keyOf = (bytes: Uint8Array) => Buffer.from(bytes).toString("hex");

/** A store in memory. `failNext` makes the next transaction fail after its work, as on a full disk. */
export class MemoryStore implements PoolStore {
  failNext = false;
  readonly path = "memory";
  free = 2 ** 40;
  #tables = new Map<string, Rows>();
  /** Rows before the running transaction. */
  #before: Map<string, Rows> | undefined;

  freeBytes(): number {
    return this.free;
  }

  table(name: string): Table {
    const rows = () => {
      const found = this.#tables.get(name) ?? new Map();
      this.#tables.set(name, found);
      return found;
    };
    const writable = () => {
      if (this.#before === undefined) throw new Error("a write outside of a transaction");
      return rows();
    };
    const sorted = function* (): Generator<Entry> {
      for (const key of [...rows().keys()].sort()) {
        const value = rows().get(key);
        if (value !== undefined) yield { key: new Uint8Array(Buffer.from(key, "hex")), value };
      }
    };
    const from = (start: Uint8Array | undefined, end: Uint8Array | undefined) =>
      [...sorted()].filter(
        ({ key }) =>
          (start === undefined || Buffer.compare(key, start) >= 0) &&
          (end === undefined || Buffer.compare(key, end) < 0),
      );
    const upTo = (key: Uint8Array) =>
      from(undefined, undefined).findLast((entry) => Buffer.compare(entry.key, key) <= 0);
    return {
      get: (key) => rows().get(keyOf(key)),
      borrow: (key) => rows().get(keyOf(key)),
      readInto(key, out, at) {
        const value = rows().get(keyOf(key));
        if (value !== undefined) out.set(value, at);
        return value?.length ?? -1;
      },
      has: (key) => rows().has(keyOf(key)),
      put: (key, value) => void writable().set(keyOf(key), new Uint8Array(value)),
      remove: (key) => void writable().delete(keyOf(key)),
      clear: () => writable().clear(),
      atOrAfter: (key) => from(key, undefined)[0],
      atOrBefore: upTo,
      borrowAtOrBefore: upTo,
      range: ({ start, end }) => from(start, end),
      scan: ({ start, end }) => from(start, end),
    };
  }

  /** Number of rows in a table. */
  size(name: string): number {
    return this.#tables.get(name)?.size ?? 0;
  }

  transaction<T>(work: () => T): T {
    const before = new Map([...this.#tables].map(([name, rows]) => [name, new Map(rows)]));
    this.#before = before;
    try {
      const result = work();
      if (this.failNext) {
        this.failNext = false;
        throw new Error("no space left");
      }
      return result;
    } catch (error) {
      this.#tables = before;
      throw error;
    } finally {
      this.#before = undefined;
    }
  }
}
