import { readU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { numberKey } from "./keys.ts";

/** Maps a 32-byte value that identifies a block (its hash, or the archive root after it) to the block number u32. */
export class NumberIndex {
  readonly #table: Table;

  constructor(store: Store, name: "chain-block-hashes" | "chain-archives") {
    this.#table = store.table(name);
  }

  get(value: Uint8Array): number | undefined {
    if (value.length !== 32) return undefined;
    const bytes = this.#table.get(value);
    return bytes && readU32(bytes, 0);
  }

  put(value: Uint8Array, number: number): void {
    this.#table.put(value, numberKey(number));
  }

  remove(value: Uint8Array): void {
    this.#table.remove(value);
  }
}
