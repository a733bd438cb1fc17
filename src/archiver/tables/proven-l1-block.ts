import { readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";
import { MissingTableError } from "../../storage/lmdb-table.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { L1Position } from "./chain-state.ts";

const KEY = new TextEncoder().encode("proven");

/** The L1 block whose state named the proven checkpoint: checkpoint u32 | L1 block u48 | hash 32. */
export class ProvenL1Block {
  /** Undefined in a store that is open for reading only and was last written by a version without this table. */
  readonly #table: Table | undefined;

  constructor(store: Store) {
    try {
      this.#table = store.table("proven-l1-block");
    } catch (error) {
      if (!(error instanceof MissingTableError)) throw error;
    }
  }

  /** That of `checkpoint`; undefined if the mark was set to this checkpoint in another way. */
  of(checkpoint: number): L1Position | undefined {
    const bytes = this.#table?.get(KEY);
    if (bytes === undefined || readU32(bytes, 0) !== checkpoint) return undefined;
    return { number: readUint(bytes, 4, 6), hash: bytes.subarray(10, 42) };
  }

  /** Runs inside Store.transaction. */
  put(checkpoint: number, l1: L1Position): void {
    const bytes = new Uint8Array(42);
    writeU32(bytes, 0, checkpoint);
    writeUint(bytes, 4, 6, l1.number);
    bytes.set(l1.hash, 10);
    this.#table?.put(KEY, bytes);
  }

  /** Runs inside Store.transaction. */
  clear(): void {
    this.#table?.clear();
  }
}
