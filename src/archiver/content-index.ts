import { concat, word } from "../protocol/bytes.ts";
import { isClassPublished, isInstancePublished, isInstanceUpdated } from "../protocol/contracts/contract-events.ts";
import type { ContractRules } from "../protocol/generations/contracts.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { Store } from "../storage/store.ts";
import type { ContractEvents } from "./contract-events.ts";
import { ContractRows } from "./tables/contract-rows.ts";
import { ContractUpdates } from "./tables/contract-updates.ts";
import type { LogPosition } from "./tables/log-keys.ts";
import { LOG_SUBJECT, type LogSubject, type LogTxRow, LogTxs } from "./tables/log-txs.ts";
import { TaggedLogs } from "./tables/tagged-logs.ts";

/** A block in the form that the index needs. */
interface IndexedBlock {
  number: number;
  /** Seconds. */
  timestamp: bigint;
  txs: readonly TxEffect[];
}

const NO_VALUE = new Uint8Array(0);

/**
 * The tables that map logs and contracts to their positions in block bodies. They hold positions only, so the rows of a
 * block can be derived from its body, and `remove` is the exact inverse of `add`. Both run inside the caller's
 * Store.transaction.
 */
export class ContentIndex {
  readonly #contracts: Pick<ContractRules, "classRegistry">;
  readonly privateLogs: TaggedLogs;
  readonly publicLogs: TaggedLogs;
  readonly logTxs: LogTxs;
  readonly classes: ContractRows;
  readonly instances: ContractRows;
  readonly updates: ContractUpdates;

  constructor(store: Store, contracts: Pick<ContractRules, "classRegistry">) {
    this.#contracts = contracts;
    this.privateLogs = new TaggedLogs(store, "chain-private-log-tags");
    this.publicLogs = new TaggedLogs(store, "chain-public-log-tags");
    this.logTxs = new LogTxs(store);
    this.classes = new ContractRows(store, "chain-contract-classes");
    this.instances = new ContractRows(store, "chain-contract-instances");
    this.updates = new ContractUpdates(store);
  }

  add(block: IndexedBlock, events: ContractEvents): void {
    const offsets = txOffsets(block.txs);
    for (const { table, subject, position } of this.#tags(block)) {
      table.put(subject, { ...position, txOffset: offsets[position.txIndexInBlock] });
    }
    for (const row of logTxRows(block.txs, offsets)) this.logTxs.put(row, block.number);
    for (const { id, tx } of events.classes) this.classes.add(id, { block: block.number, offset: offsets[tx] });
    for (const { address, tx, log } of events.instances) {
      this.instances.add(address, { block: block.number, offset: offsets[tx] + logOffset(block.txs[tx], log) });
    }
    for (const { address, tx, log } of events.updates) {
      const offset = offsets[tx] + logOffset(block.txs[tx], log);
      this.updates.put(address, block.timestamp, positionOf(block.number, tx, log), offset);
    }
  }

  remove(block: IndexedBlock): void {
    for (const { table, subject, position } of this.#tags(block)) table.remove(subject, position);
    for (const row of logTxRows(block.txs, txOffsets(block.txs))) this.logTxs.remove(row, block.number);
    block.txs.forEach(({ contractClassLogs, privateLogs, publicLogs }, tx) => {
      for (const log of contractClassLogs) {
        if (isClassPublished(log, this.#contracts)) this.classes.removeIfIn(word(log.fields, 1), block.number);
      }
      for (const fields of privateLogs) {
        if (isInstancePublished(fields)) this.instances.removeIfIn(word(fields, 1), block.number);
      }
      publicLogs.forEach((log, i) => {
        if (!isInstanceUpdated(log) || log.fields.length < 64) return;
        const position = positionOf(block.number, tx, privateLogs.length + i);
        this.updates.remove(word(log.fields, 1), block.timestamp, position);
      });
    });
  }

  /** All logs with a tag. A public log may have no fields and so no tag. */
  *#tags({ number, txs }: IndexedBlock) {
    for (const [tx, { privateLogs, publicLogs }] of txs.entries()) {
      for (const [i, fields] of privateLogs.entries()) {
        yield { table: this.privateLogs, subject: word(fields, 0), position: positionOf(number, tx, i) };
      }
      for (const [i, { contractAddress, fields }] of publicLogs.entries()) {
        if (fields.length === 0) continue;
        const position = positionOf(number, tx, privateLogs.length + i);
        yield { table: this.publicLogs, subject: concat(contractAddress, word(fields, 0)), position };
      }
    }
  }
}

/** The LogTxs rows of a block: one per subject, its txs in order. */
function logTxRows(txs: readonly TxEffect[], offsets: readonly number[]): Iterable<LogTxRow> {
  const rows = new Map<string, LogTxRow>();
  txs.forEach(({ publicLogs, contractClassLogs }, indexInBlock) => {
    const note = (subject: LogSubject, value: Uint8Array) => {
      const name = `${subject}${Buffer.from(value).toString("latin1")}`;
      const row = rows.get(name) ?? { subject, value, txs: [] };
      rows.set(name, row);
      if (row.txs.at(-1)?.indexInBlock !== indexInBlock)
        row.txs.push({ indexInBlock, txOffset: offsets[indexInBlock] });
    };
    for (const { contractAddress, fields } of publicLogs) {
      note(LOG_SUBJECT.publicLogs, NO_VALUE);
      note(LOG_SUBJECT.publicLogsOfContract, contractAddress);
      if (fields.length > 0) note(LOG_SUBJECT.publicLogsWithTag, word(fields, 0));
    }
    for (const { contractAddress } of contractClassLogs) {
      note(LOG_SUBJECT.classLogs, NO_VALUE);
      note(LOG_SUBJECT.classLogsOfContract, contractAddress);
    }
  });
  return rows.values();
}

/** Offset of each tx in the block's body, in words. */
function txOffsets(txs: readonly TxEffect[]): number[] {
  let next = 0;
  return txs.map(({ words }) => {
    const offset = next;
    next += words.length / 32;
    return offset;
  });
}

/**
 * Offset of a log's length word, in words from the start of its tx: one word before a private log's fields, two before
 * a public log's.
 */
function logOffset({ words, privateLogs, publicLogs }: TxEffect, log: number): number {
  const fields = log < privateLogs.length ? privateLogs[log] : publicLogs[log - privateLogs.length].fields;
  return (fields.byteOffset - words.byteOffset) / 32 - (log < privateLogs.length ? 1 : 2);
}

function positionOf(blockNumber: number, txIndexInBlock: number, logIndexWithinTx: number): LogPosition {
  return { blockNumber, txIndexInBlock, logIndexWithinTx };
}
