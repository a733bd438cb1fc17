import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { L1Position } from "./chain-state.ts";
import { indexKey, LAST_INDEX_KEY, readIndex } from "./keys.ts";

/** Most rows to keep. */
const MOST = 64;

/** The most recently processed L1 blocks, all of one L1 chain: number u48 to hash 32. */
export class RecentL1Blocks {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("recent-l1-blocks");
  }

  /** The newest one up to `limit`. */
  newest(limit?: number): L1Position | undefined {
    const entry = this.#table.atOrBefore(limit === undefined ? LAST_INDEX_KEY : indexKey(limit));
    return entry && { number: readIndex(entry.key), hash: entry.value };
  }

  /** Runs inside Store.transaction. */
  put({ number, hash }: L1Position): void {
    this.#table.put(indexKey(number), hash);
    const keys = [...this.#table.range({})].map(({ key }) => key.slice());
    for (const key of keys.slice(0, -MOST)) this.#table.remove(key);
  }

  /** Runs inside Store.transaction. */
  clear(): void {
    this.#table.clear();
  }
}
