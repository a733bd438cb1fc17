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
