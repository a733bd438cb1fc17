import { dropOldest } from "../../storage/drop-oldest.ts";

/** The most recent message keys of one topic. */
export class SeenFilter {
  readonly #keys = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** Returns whether the key is new, and remembers it. The oldest key is forgotten for it if necessary. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    dropOldest(this.#keys, this.#max);
    return true;
  }
}
