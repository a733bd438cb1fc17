import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { numberKey } from "./keys.ts";

/**
 * Words of a block's txs as in the blobs (see TxEffect), by block number u32. Every block has a row, even an empty one.
 */
export class BlockBodies {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-block-bodies");
  }

  get(number: number): Uint8Array | undefined {
    return this.#table.get(numberKey(number));
  }

  put(number: number, words: Uint8Array): void {
    this.#table.put(numberKey(number), words);
  }

  remove(number: number): void {
    this.#table.remove(numberKey(number));
  }
}
