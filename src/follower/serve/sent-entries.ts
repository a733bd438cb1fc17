import { equal } from "../../protocol/bytes.ts";
import type { ChainEntry } from "../format/request.ts";

/** Entries kept of what was sent, enough for every reorganization of a healthy L1. */
const MAX_KEPT = 512;

/** The messages, checkpoints or proposed blocks that a follower has, in ascending order; of the older ones some. */
export class SentEntries {
  readonly #entries: ChainEntry[];

  constructor(entries: readonly ChainEntry[]) {
    this.#entries = [...entries];
  }

  /** The number of the last one; `none` without any. */
  last(none: number): number {
    return this.#entries.at(-1)?.number ?? none;
  }

  get size(): number {
    return this.#entries.length;
  }

  push(entry: ChainEntry): void {
    this.#entries.push(entry);
    if (this.#entries.length > MAX_KEPT) this.#entries.splice(0, MAX_KEPT / 2);
  }

  /** Position of the last entry that `stands`, -1 for none. */
  lastStanding(stands: (entry: ChainEntry) => boolean): number {
    let at = this.#entries.length - 1;
    while (at >= 0 && !stands(this.#entries[at])) at--;
    return at;
  }

  at(position: number): ChainEntry | undefined {
    return this.#entries[position];
  }

  /** Removes the entries after a position. */
  cutAfter(position: number): void {
    this.#entries.length = position + 1;
  }

  clear(): void {
    this.#entries.length = 0;
  }

  /** Entries from a position on. */
  from(position: number): readonly ChainEntry[] {
    return this.#entries.slice(position);
  }

  replace(position: number, id: Uint8Array): void {
    this.#entries[position] = { ...this.#entries[position], id };
  }

  has(number: number, id: Uint8Array): boolean {
    const found = this.#entries.find((entry) => entry.number === number);
    return found !== undefined && equal(found.id, id);
  }
}
