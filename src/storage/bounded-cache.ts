/**
 * A map bounded in bytes, with two generations. When the young one holds half of the bytes, it becomes the old one and
 * the former old one is dropped; a read moves an entry to the young one. Keys are strings of one byte a character.
 */
export class BoundedCache<Value> {
  readonly #entriesPerHalf: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** `entryBytes` is the size of one entry, including its key and the map's overhead. */
  constructor({ bytes, entryBytes }: { bytes: number; entryBytes: number }) {
    this.#entriesPerHalf = Math.max(1, Math.floor(bytes / entryBytes / 2));
  }

  get(key: string): Value | undefined {
    const young = this.#young.get(key);
    if (young !== undefined) return young;
    const old = this.#old.get(key);
    if (old !== undefined) this.set(key, old);
    return old;
  }

  set(key: string, value: Value): void {
    if (this.#young.size >= this.#entriesPerHalf && !this.#young.has(key)) {
      this.#old = this.#young;
      this.#young = new Map();
    }
    this.#young.set(key, value);
  }

  /** Number of distinct entries. */
  get size(): number {
    let both = 0;
    for (const key of this.#old.keys()) if (this.#young.has(key)) both++;
    return this.#young.size + this.#old.size - both;
  }
}
