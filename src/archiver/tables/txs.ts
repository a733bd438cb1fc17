import { readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/** Position of a tx: its block, its index there, and its words in the block's body. */
export interface TxLocation {
  block: number;
  indexInBlock: number;
  /** In 32-byte words from the start of the body. */
  wordOffset: number;
  wordCount: number;
}

/**
 * Tx hash to its location: 0 block u32 | 4 index in block u32 | 8 word offset u32 | 12 word count u32.
 *
 * The network's circuits keep tx hashes unique. A blob that repeats one can exist on L1 until it is pruned: the first
 * occurrence keeps the row, and only the block that the row names removes it, so that unwinding stays exact.
 */
export class Txs {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-txs");
  }

  get(txHash: Uint8Array): TxLocation | undefined {
    if (txHash.length !== 32) return undefined;
    const bytes = this.#table.get(txHash);
    return (
      bytes && {
        block: readU32(bytes, 0),
        indexInBlock: readU32(bytes, 4),
        wordOffset: readU32(bytes, 8),
        wordCount: readU32(bytes, 12),
      }
    );
  }

  add(txHash: Uint8Array, location: TxLocation): void {
    if (this.#table.has(txHash)) return;
    const bytes = new Uint8Array(16);
    writeU32(bytes, 0, location.block);
    writeU32(bytes, 4, location.indexInBlock);
    writeU32(bytes, 8, location.wordOffset);
    writeU32(bytes, 12, location.wordCount);
    this.#table.put(txHash, bytes);
  }

  removeIfIn(txHash: Uint8Array, block: number): void {
    if (this.get(txHash)?.block === block) this.#table.remove(txHash);
  }
}
