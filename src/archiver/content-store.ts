import { headerSlotNumber, headerTimestamp } from "../protocol/block-header.ts";
import { concat, equal, isZero, readUint, toHex, word } from "../protocol/bytes.ts";
import { readClassPublished, readInstanceUpdated } from "../protocol/contracts/contract-events.ts";
import { items, readTxEffect, type TxEffect } from "../protocol/tx-effect.ts";
import type { Store } from "../storage/store.ts";
import { BodyScan } from "./body-scan.ts";
import type { ChainStore } from "./chain-store.ts";
import { ContentIndex } from "./content-index.ts";
import type {
  ContentReader,
  ContractClass,
  ContractInstance,
  FoundLog,
  LogRange,
  SettledTx,
  TaggedLog,
  TagRange,
} from "./content-types.ts";
import { blockBounds, positionBounds } from "./log-bounds.ts";
import { preloadedClasses, preloadedInstances } from "./preloaded-contracts.ts";
import type { LogPosition } from "./tables/log-keys.ts";
import { LOG_SUBJECT, type LogTx } from "./tables/log-txs.ts";
import type { TaggedLogs } from "./tables/tagged-logs.ts";

type AddressedLog = TxEffect["publicLogs"][number];

/**
 * Reads the contents of blocks. Like ChainStore it caches nothing: every read goes to the store, and each thread can
 * open its own instance. A search visits only rows of its subject, so its cost is bounded by the results and the rows
 * that it skips.
 */
export class ContentStore implements ContentReader {
  readonly #chain: ChainStore;
  readonly #index: ContentIndex;
  readonly #preloadedClasses: ReadonlyMap<string, ContractClass>;
  readonly #preloadedInstances: ReadonlyMap<string, ContractInstance>;

  constructor({ store, chain }: { store: Store; chain: ChainStore }) {
    const { contracts } = chain.generation;
    this.#chain = chain;
    this.#index = new ContentIndex(store, contracts);
    this.#preloadedClasses = preloadedClasses(contracts);
    this.#preloadedInstances = preloadedInstances(contracts);
  }

  settledTx(txHash: Uint8Array): SettledTx | undefined {
    const location = this.#chain.txLocation(txHash);
    if (location === undefined) return undefined;
    const { hash, header } = this.#chain.block(location.block)!;
    return {
      blockNumber: location.block,
      blockHash: hash,
      slotNumber: headerSlotNumber(header),
      blockTimestamp: headerTimestamp(header),
      txIndexInBlock: location.indexInBlock,
      effect: readTxEffect(this.#chain.blockBody(location.block)!, location.wordOffset).effect,
    };
  }

  privateLogsByTag(tag: Uint8Array, range: TagRange): TaggedLog[] {
    return tag.length === 32 ? this.#taggedLogs(this.#index.privateLogs, tag, range) : [];
  }

  publicLogsByTag(contractAddress: Uint8Array, tag: Uint8Array, range: TagRange): TaggedLog[] {
    if (contractAddress.length !== 32 || tag.length !== 32) return [];
    const subject = concat(contractAddress, tag);
    const fromZero = !this.#chain.generation.api.publicLogsFollowPrivateLogs;
    const after = range.after && (fromZero ? this.#storedPosition(range.after) : range.after);
    return this.#taggedLogs(this.#index.publicLogs, subject, { ...range, after }, fromZero);
  }

  /** Position in the table of a public log whose index counts public logs only. */
  #storedPosition(position: LogPosition): LogPosition {
    const tx = this.#chain.txEffects(position.blockNumber)[position.txIndexInBlock];
    return { ...position, logIndexWithinTx: position.logIndexWithinTx + (tx?.privateLogs.length ?? 0) };
  }

  /** `fromZero`: public logs are numbered without the private logs of their tx. */
  #taggedLogs(table: TaggedLogs, subject: Uint8Array, range: TagRange, fromZero = false): TaggedLog[] {
    const logs: TaggedLog[] = [];
    const bounds = positionBounds(range, range.txHash && this.#chain.txLocation(range.txHash));
    if (bounds === undefined || range.limit <= 0) return logs;
    const bodies = new BodyScan(this.#chain);
    let skip = range.skip ?? 0;
    for (const { txOffset, ...position } of table.rows(subject, bounds.from, bounds.end)) {
      if (skip-- > 0) continue;
      const { hash, header } = bodies.block(position.blockNumber);
      const { txHash, noteHashes, nullifiers, privateLogs, publicLogs } = bodies.tx(position.blockNumber, txOffset);
      const i = position.logIndexWithinTx;
      logs.push({
        ...position,
        logIndexWithinTx: fromZero ? i - privateLogs.length : i,
        blockHash: hash,
        blockTimestamp: headerTimestamp(header),
        txHash,
        logData: i < privateLogs.length ? privateLogs[i] : publicLogs[i - privateLogs.length].fields,
        noteHashes,
        nullifiers,
      });
      if (logs.length >= range.limit) break;
    }
    return logs;
  }

  publicLogs(range: LogRange): { logs: FoundLog[]; maxLogsHit: boolean } {
    return this.#search(
      range,
      (from, end) => this.#publicLogTxs(range, from, end),
      (tx) => tx.publicLogs,
      ({ fields }) => range.tag === undefined || equal(word(fields, 0), range.tag),
    );
  }

  contractClassLogs(range: LogRange): { logs: FoundLog[]; maxLogsHit: boolean } {
    const { contractAddress } = range;
    return this.#search(
      range,
      (from, end) =>
        contractAddress === undefined
          ? this.#index.logTxs.txs(LOG_SUBJECT.classLogs, from, end)
          : this.#index.logTxs.txs(LOG_SUBJECT.classLogsOfContract, from, end, contractAddress),
      (tx) => tx.contractClassLogs,
      () => true,
    );
  }

  /** Txs with logs that match the address and the tag, from the most selective index. */
  *#publicLogTxs({ contractAddress, tag }: LogRange, from: number, end: number): Generator<LogTx> {
    const { logTxs, publicLogs } = this.#index;
    if (contractAddress === undefined || tag === undefined) {
      if (contractAddress !== undefined) {
        yield* logTxs.txs(LOG_SUBJECT.publicLogsOfContract, from, end, contractAddress);
      } else if (tag !== undefined) yield* logTxs.txs(LOG_SUBJECT.publicLogsWithTag, from, end, tag);
      else yield* logTxs.txs(LOG_SUBJECT.publicLogs, from, end);
      return;
    }
    const start = (blockNumber: number) => ({ blockNumber, txIndexInBlock: 0, logIndexWithinTx: 0 });
    let last: LogTx | undefined;
    for (const row of publicLogs.rows(concat(contractAddress, tag), start(from), start(end))) {
      const tx = { block: row.blockNumber, indexInBlock: row.txIndexInBlock, txOffset: row.txOffset };
      if (last === undefined || last.block !== tx.block || last.indexInBlock !== tx.indexInBlock) yield tx;
      last = tx;
    }
  }

  /** Logs of `txs` that match, in chain order and strictly after `range.after`. */
  #search(
    range: LogRange,
    txsOf: (from: number, end: number) => Iterable<LogTx>,
    logsOf: (tx: TxEffect) => readonly AddressedLog[],
    matches: (log: AddressedLog) => boolean,
  ): { logs: FoundLog[]; maxLogsHit: boolean } {
    const { after, contractAddress, txHash, limit } = range;
    const { from, end, inverted } = blockBounds(range);
    const logs: FoundLog[] = [];
    if (inverted) return { logs, maxLogsHit: true };
    if (from >= end) return { logs, maxLogsHit: false };
    const bodies = new BodyScan(this.#chain);
    for (const tx of txHash === undefined ? txsOf(from, end) : this.#oneTx(txHash, from, end)) {
      let logIndex = 0;
      if (after !== undefined && tx.block === after.blockNumber) {
        if (tx.indexInBlock < after.txIndex) continue;
        if (tx.indexInBlock === after.txIndex) logIndex = Math.max(after.logIndex + 1, 0);
      }
      const effect = bodies.tx(tx.block, tx.txOffset);
      for (const [i, log] of logsOf(effect).entries()) {
        if (i < logIndex || !matches(log)) continue;
        if (contractAddress !== undefined && !equal(log.contractAddress, contractAddress)) continue;
        logs.push({
          blockNumber: tx.block,
          blockHash: bodies.block(tx.block).hash,
          txHash: effect.txHash,
          txIndex: tx.indexInBlock,
          logIndex: i,
          contractAddress: log.contractAddress,
          fields: log.fields,
        });
        if (logs.length >= limit) return { logs, maxLogsHit: true };
      }
    }
    return { logs, maxLogsHit: false };
  }

  #oneTx(txHash: Uint8Array, from: number, end: number): LogTx[] {
    const location = this.#chain.txLocation(txHash);
    if (location === undefined || location.block < from || location.block >= end) return [];
    return [{ block: location.block, indexInBlock: location.indexInBlock, txOffset: location.wordOffset }];
  }

  contractClass(id: Uint8Array): ContractClass | undefined {
    const preloaded = this.#preloadedClasses.get(toHex(id));
    if (preloaded !== undefined) return preloaded;
    const location = this.#index.classes.get(id);
    if (location === undefined) return undefined;
    const { effect } = readTxEffect(this.#chain.blockBody(location.block)!, location.offset);
    return { ...readClassPublished(effect.contractClassLogs[0].fields), blockNumber: location.block };
  }

  contractInstance(address: Uint8Array, timestamp?: bigint): ContractInstance | undefined {
    const instance = this.#preloadedInstances.get(toHex(address)) ?? this.#publishedInstance(address);
    if (instance === undefined) return undefined;
    const time = timestamp ?? headerTimestamp(this.#chain.block(this.#chain.latestBlockNumber())!.header);
    const update = this.#index.updates.lastAt(address, time);
    if (update === undefined) return instance;
    const fields = logFields(this.#chain.blockBody(update.block)!, update.offset, 2);
    const { previousClassId, newClassId, timestampOfChange } = readInstanceUpdated(fields);
    const before = isZero(previousClassId) ? instance.originalContractClassId : previousClassId;
    return { ...instance, currentContractClassId: time < timestampOfChange ? before : newClassId };
  }

  /** Instance whose current class is its original one. */
  #publishedInstance(address: Uint8Array): ContractInstance | undefined {
    const location = this.#index.instances.get(address);
    if (location === undefined) return undefined;
    const fields = logFields(this.#chain.blockBody(location.block)!, location.offset, 1);
    const { classId, ...event } = this.#chain.generation.contracts.readInstancePublished(fields);
    return {
      ...event,
      currentContractClassId: classId,
      originalContractClassId: classId,
      blockNumber: location.block,
    };
  }

  l2ToL1Messages(epoch: number): Uint8Array[][][][] {
    return this.#chain.checkpointsOfEpoch(epoch).map((checkpoint) => {
      const { startBlock, blockCount } = checkpoint;
      const blocks = Array.from({ length: blockCount }, (_, i) => this.#chain.txEffects(startBlock + i));
      return blocks.map((txs) => txs.map((tx) => items(tx.l2ToL1Msgs)));
    });
  }
}

/** Emitted fields of the log whose length word is at `offset`; they start `before` words after it. */
function logFields(body: Uint8Array, offset: number, before: number): Uint8Array {
  const length = readUint(body, offset * 32 + 28, 4);
  return body.subarray((offset + before) * 32, (offset + before + length) * 32);
}
