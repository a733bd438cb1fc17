import { readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";

/**
 * Subjects that a range of logs can be searched by. There is one row per block and subject, so a search visits only
 * what it returns.
 */
export const LOG_SUBJECT = {
  publicLogs: 0,
  publicLogsOfContract: 1,
  publicLogsWithTag: 2,
  classLogs: 3,
  classLogsOfContract: 4,
} as const;
export type LogSubject = (typeof LOG_SUBJECT)[keyof typeof LOG_SUBJECT];

/** A tx with logs of the subject. */
export interface LogTx {
  block: number;
  indexInBlock: number;
  /** In 32-byte words from the start of the body. */
  txOffset: number;
}

/** The txs of one block with logs of a subject, in order. */
export interface LogTxRow {
  subject: LogSubject;
  /** Address or tag; empty for subjects without one. */
  value: Uint8Array;
  txs: Omit<LogTx, "block">[];
}

/**
 * Txs whose logs belong to a subject, by block.
 *
 *   key    0 subject u8 | 1 address or tag 32, none for the subjects without | block u32
 *   value  for each tx in order: tx index u16 | tx offset u32
 */
const TX_BYTES = 6;
const NO_VALUE = new Uint8Array(0);

export class LogTxs {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-log-txs");
  }

  /** Txs of the blocks `from` to `end` (exclusive), in chain order. Must be consumed in the same synchronous run. */
  *txs(subject: LogSubject, from: number, end: number, value: Uint8Array = NO_VALUE): Generator<LogTx> {
    const range = { start: rowKey(subject, value, from), end: rowKey(subject, value, end) };
    for (const { key, value: row } of this.#table.range(range)) {
      const block = readU32(key, key.length - 4);
      for (let at = 0; at < row.length; at += TX_BYTES) {
        yield { block, indexInBlock: readUint(row, at, 2), txOffset: readU32(row, at + 2) };
      }
    }
  }

  put({ subject, value, txs }: LogTxRow, block: number): void {
    const row = new Uint8Array(txs.length * TX_BYTES);
    txs.forEach((tx, i) => {
      writeUint(row, i * TX_BYTES, 2, tx.indexInBlock);
      writeU32(row, i * TX_BYTES + 2, tx.txOffset);
    });
    this.#table.put(rowKey(subject, value, block), row);
  }

  remove({ subject, value }: LogTxRow, block: number): void {
    this.#table.remove(rowKey(subject, value, block));
  }
}

function rowKey(subject: LogSubject, value: Uint8Array, block: number): Uint8Array {
  const key = new Uint8Array(1 + value.length + 4);
  key[0] = subject;
  key.set(value, 1);
  writeU32(key, 1 + value.length, block);
  return key;
}
