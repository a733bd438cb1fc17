import { compareRank, type PoolEntry, type Ranked } from "./pool-entry.ts";

/** Entries sorted by rank. */
export class PriorityOrder {
  /** Ascending. */
  readonly #entries: PoolEntry[] = [];

  get size(): number {
    return this.#entries.length;
  }

  lowest(): PoolEntry | undefined {
    return this.#entries[0];
  }

  highest(): PoolEntry | undefined {
    return this.#entries.at(-1);
  }

  add(entry: PoolEntry): void {
    this.#entries.splice(this.#below(entry), 0, entry);
  }

  remove(entry: PoolEntry): void {
    const at = this.#below(entry);
    if (this.#entries[at]?.key === entry.key) this.#entries.splice(at, 1);
  }

  /** Highest rank first; with `after`, only entries below it. */
  *descending(after?: Ranked): Generator<PoolEntry> {
    for (let i = (after === undefined ? this.size : this.#below(after)) - 1; i >= 0; i--) yield this.#entries[i];
  }

  ascending(): readonly PoolEntry[] {
    return this.#entries;
  }

  /** Number of entries with a lower rank. */
  #below(ranked: Ranked): number {
    let low = 0;
    let high = this.#entries.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (compareRank(this.#entries[middle], ranked) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
