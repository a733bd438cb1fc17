/**
 * A map that stays within a number of bytes: what was not asked for while half of them were filled is forgotten. Keys are strings of one
 * byte a character.
 */
export class BoundedCache<Value> {
  readonly #entriesPerHalf: number;
  #young = new Map<string, Value>();
  #old = new Map<string, Value>();

  /** `entryBytes` is what one entry takes, with its key and the map's own share. */
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

  /** Entries held, at most twice the half. */
  get size(): number {
    let both = 0;
    for (const key of this.#old.keys()) if (this.#young.has(key)) both++;
    return this.#young.size + this.#old.size - both;
  }
}
