import { dropOldest } from "../../storage/drop-oldest.ts";

/** The most recent message keys of one topic. */
export class SeenFilter {
  readonly #keys = new Set<string>();
  readonly #most: number;

  constructor(most: number) {
    this.#most = most;
  }

  /** Returns whether the key is new, and remembers it. The oldest key is forgotten for it if necessary. */
  add(key: string): boolean {
    if (this.#keys.has(key)) return false;
    this.#keys.add(key);
    dropOldest(this.#keys, this.#most);
    return true;
  }
}
