import { dropOldest } from "../../../storage/drop-oldest.ts";

/** Keys that are forgotten after a time, or when there are too many: the oldest first. */
export class BoundedTimeCache<Value = undefined> {
  readonly #entries = new Map<string, { value: Value; until: number }>();
  readonly #validMs: number;
  readonly #max: number;
  readonly #now: () => number;

  constructor({ validMs, max, now = Date.now }: { validMs: number; max: number; now?: () => number }) {
    this.#validMs = validMs;
    this.#max = max;
    this.#now = now;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Keeps what is stored for a known key. Returns whether the key was known. */
  put(key: string, value: Value): boolean {
    if (this.#entries.has(key)) return true;
    this.#entries.set(key, { value, until: this.#now() + this.#validMs });
    dropOldest(this.#entries, this.#max);
    return false;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): Value | undefined {
    const entry = this.#entries.get(key);
    return entry !== undefined && entry.until >= this.#now() ? entry.value : undefined;
  }

  prune(): void {
    const now = this.#now();
    for (const [key, { until }] of this.#entries) {
      if (until >= now) return;
      this.#entries.delete(key);
    }
  }

  clear(): void {
    this.#entries.clear();
  }
}
