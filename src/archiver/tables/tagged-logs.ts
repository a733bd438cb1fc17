import { readU32, writeU32 } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import type { LogPosition } from "./log-keys.ts";
import { POSITION_BYTES, positionedKey, readPosition } from "./log-keys.ts";

/** Position of a log on the chain and in its block's body. */
interface TaggedLogRow extends LogPosition {
  /** Start of the tx, in 32-byte words from the start of the body. */
  txOffset: number;
}

/**
 * Logs by what they are looked up with, in chain order below it: private logs by siloed tag (32 bytes), public logs by
 * contract address and tag (64 bytes).
 *
 *   key    subject 32 or 64 | block u32 | tx index u16 | log index within the tx u16
 *   value  tx offset u32
 */
export class TaggedLogs {
  readonly #table: Table;

  constructor(store: Store, name: "chain-private-log-tags" | "chain-public-log-tags") {
    this.#table = store.table(name);
  }

  /** Rows with `from <= position < end`. Must be consumed in the same synchronous run. */
  *rows(subject: Uint8Array, from: LogPosition, end: LogPosition): Generator<TaggedLogRow> {
    const range = { start: positionedKey(subject, from), end: positionedKey(subject, end) };
    for (const { key, value } of this.#table.range(range)) {
      const { blockNumber, txIndexInBlock, logIndexWithinTx } = readPosition(key, key.length - POSITION_BYTES);
      yield { blockNumber, txIndexInBlock, logIndexWithinTx, txOffset: readU32(value, 0) };
    }
  }

  put(subject: Uint8Array, row: TaggedLogRow): void {
    const value = new Uint8Array(4);
    writeU32(value, 0, row.txOffset);
    this.#table.put(positionedKey(subject, row), value);
  }

  remove(subject: Uint8Array, position: LogPosition): void {
    this.#table.remove(positionedKey(subject, position));
  }
}
