import { type ChainStore, lastBlockOf } from "../../archiver/chain-store.ts";
import { ContentIndex } from "../../archiver/content-index.ts";
import { contractEvents } from "../../archiver/contract-events.ts";
import type { BlockRecord } from "../../archiver/tables/records.ts";
import type { Core } from "../../core/core.ts";
import { blockHash } from "../../core/derive/block-hash.ts";
import { HEADER_AT, headerBlockNumber, headerTimestamp } from "../../protocol/block-header.ts";
import { equal, readU32 } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { firstMessageIndex, messageCheckpoint, nextRollingHash } from "../../protocol/l1-to-l2-message.ts";
import type { TxEffect } from "../../protocol/tx-effect.ts";
import type { Store } from "../../storage/store.ts";
import { CapturedRows } from "./captured-rows.ts";
import { checkpointFault } from "./checkpoint-fault.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";

const HEADERS = "chain-block-headers";
const BODIES = "chain-block-bodies";
const CHECKPOINTS = "chain-checkpoints";
/** Tables that lead from contents to positions in bodies. The first event keeps a row of those marked. */
const CONTENT_TABLES = {
  "chain-txs": { firstStays: true },
  "chain-contract-classes": { firstStays: true },
  "chain-contract-instances": { firstStays: true },
  "chain-private-log-tags": { firstStays: false },
  "chain-public-log-tags": { firstStays: false },
  "chain-log-txs": { firstStays: false },
  "chain-contract-updates": { firstStays: false },
} as const;
type ContentTable = keyof typeof CONTENT_TABLES;

function rows(store: Store, table: string): number {
  let count = 0;
  for (const _ of store.table(table).scan({})) count++;
  return count;
}

/** Rows of a table are those that were found, and no more. */
function checkCount(store: Store, table: string, expected: number, report: CheckReport): void {
  checkPart(report, table, () => {
    const found = rows(store, table);
    if (found === expected) return;
    report.fault({ table, key: "-", rule: `holds ${found} rows, the blocks and messages give ${expected}` });
  });
}

interface ChainCheck {
  store: Store;
  chain: ChainStore;
  core: Core;
}

/**
 * Checks what is stored of blocks, checkpoints and messages: that rows decode, hashes are those of what they are hashes
 * of, blocks and checkpoints follow one another, and every index is what the bodies give.
 */
export class ChainChecker {
  readonly #parts: ChainCheck;
  readonly #report: CheckReport;
  readonly #captured = new CapturedRows();
  readonly #index: ContentIndex;
  readonly #found = new Map<ContentTable, number>();

  constructor(parts: ChainCheck, report: CheckReport) {
    this.#parts = parts;
    this.#report = report;
    this.#index = new ContentIndex(this.#captured.asStore(), parts.chain.generation.contracts);
  }

  run(): void {
    const { store, chain } = this.#parts;
    const report = this.#report;
    const last = chain.latestBlockNumber();
    report.stage("blocks", last);
    let archiveRoot: Uint8Array | undefined;
    for (let number = 1; number <= last; number++) {
      archiveRoot = this.#block(number, archiveRoot);
      report.step();
    }
    for (const table of [HEADERS, BODIES, "chain-block-hashes", "chain-archives"])
      checkCount(store, table, last, report);
    const checkpoints = chain.latestCheckpointNumber();
    report.stage("checkpoints", checkpoints);
    let next = 1;
    for (let number = 1; number <= checkpoints; number++) {
      next = this.#checkpoint(number, next);
      report.step();
    }
    for (const table of [CHECKPOINTS, "chain-slots"]) checkCount(store, table, checkpoints, report);
    for (const table of Object.keys(CONTENT_TABLES) as ContentTable[]) {
      checkCount(store, table, this.#found.get(table) ?? 0, report);
    }
    this.#messages();
    checkPart(report, "chain-state", () => {
      for (const name of ["checkpoint-sync", "message-sync"] as const) chain.state.syncPoint(name);
      chain.state.processed();
      chain.state.invalidProposal();
    });
  }

  /** Returns the archive root after the block, undefined when it cannot be read. */
  #block(number: number, before: Uint8Array | undefined): Uint8Array | undefined {
    const { chain, core } = this.#parts;
    let record: BlockRecord | undefined;
    checkRow(this.#report, HEADERS, number, () => {
      const found = chain.block(number);
      if (found === undefined) return "is missing";
      if (found.header.length !== 440 || found.archiveRoot.length !== 32) return "is too short";
      record = found;
      if (headerBlockNumber(found.header) !== number)
        return `its header is that of block ${headerBlockNumber(found.header)}`;
      if (!equal(blockHash(core, found.header), found.hash)) return "its hash is not that of its header";
      const last = found.header.subarray(HEADER_AT.lastArchive, HEADER_AT.lastArchive + 32);
      return before === undefined || equal(last, before)
        ? undefined
        : `its header does not follow the archive root of block ${number - 1}`;
    });
    if (record === undefined) return undefined;
    const { hash, archiveRoot } = record;
    checkRow(this.#report, "chain-block-hashes", hash, () =>
      chain.blockNumberByHash(hash) === number ? undefined : `does not lead to block ${number}`,
    );
    checkRow(this.#report, "chain-archives", archiveRoot, () =>
      chain.blockNumberByArchive(archiveRoot) === number ? undefined : `does not lead to block ${number}`,
    );
    checkRow(this.#report, BODIES, number, () => this.#body(record as BlockRecord));
    return archiveRoot;
  }

  #body({ number, header, txCount }: BlockRecord): string | undefined {
    const { chain, core } = this.#parts;
    if (chain.blockBody(number) === undefined) return "is missing";
    const txs = chain.txEffects(number);
    if (txs.length !== txCount) return `holds ${txs.length} txs, its header's row says ${txCount}`;
    this.#index.add(
      { number, timestamp: headerTimestamp(header), txs },
      contractEvents(txs, core, chain.generation.contracts),
    );
    for (const { table, key, value } of this.#captured.take()) this.#content(table as ContentTable, key, value, number);
    this.#txs(number, txs);
    return undefined;
  }

  #txs(number: number, txs: readonly TxEffect[]): void {
    const { chain } = this.#parts;
    let wordOffset = 0;
    for (const [indexInBlock, { txHash, words }] of txs.entries()) {
      const at = wordOffset;
      wordOffset += words.length / 32;
      checkRow(this.#report, "chain-txs", txHash, () => {
        const found = chain.txLocation(txHash);
        if (found === undefined) return `is missing, block ${number} holds the tx`;
        if (found.block < number) return undefined;
        this.#count("chain-txs");
        const { block, ...place } = found;
        const agrees = block === number && place.indexInBlock === indexInBlock && place.wordOffset === at;
        return agrees && place.wordCount === words.length / 32
          ? undefined
          : `does not lead to tx ${indexInBlock} of block ${number}`;
      });
    }
  }

  #content(table: ContentTable, key: Uint8Array, value: Uint8Array, block: number): void {
    checkRow(this.#report, table, key, () => {
      const row = this.#parts.store.table(table).get(key);
      if (row === undefined) return `is missing, block ${block} gives it`;
      if (CONTENT_TABLES[table].firstStays && row.length >= 4 && readU32(row, 0) < block) return undefined;
      this.#count(table);
      return equal(row, value) ? undefined : `is not what the body of block ${block} gives`;
    });
  }

  #count(table: ContentTable): void {
    this.#found.set(table, (this.#found.get(table) ?? 0) + 1);
  }

  /** Returns the number of the first block after the checkpoint. */
  #checkpoint(number: number, first: number): number {
    const { chain } = this.#parts;
    let next = first;
    checkRow(this.#report, CHECKPOINTS, number, () => {
      const checkpoint = chain.checkpoint(number);
      if (checkpoint === undefined) return "is missing";
      next = lastBlockOf(checkpoint) + 1;
      const { startBlock, header } = checkpoint;
      if (startBlock !== first) return `begins with block ${startBlock}, the one before ends before block ${first}`;
      const slot = checkpointSlot(header);
      checkRow(this.#report, "chain-slots", slot, () =>
        chain.checkpointNumberAtSlot(slot) === number ? undefined : `does not lead to checkpoint ${number}`,
      );
      return checkpointFault(checkpoint, this.#parts, this.#report);
    });
    return next;
  }

  #messages(): void {
    const { store, chain } = this.#parts;
    const { messages } = chain;
    const count = messages.count();
    this.#report.stage("messages", count);
    let found = 0;
    checkPart(this.#report, "chain-messages", () => {
      let rolling: Uint8Array = new Uint8Array(16);
      let expected = 0;
      for (const { index, leaf, rollingHash } of messages.range(0, 2 ** 48 - 1)) {
        found++;
        checkRow(this.#report, "chain-messages", index, () => {
          const first = firstMessageIndex(messageCheckpoint(index));
          if (index !== expected && index !== first) return `does not follow message ${expected - 1}`;
          return equal(nextRollingHash(rolling, leaf), rollingHash) ? undefined : "its rolling hash does not follow";
        });
        checkRow(this.#report, "chain-message-leaves", leaf, () => {
          const known = messages.indexOf(leaf);
          return known === undefined ? `is missing, message ${index} has it` : undefined;
        });
        rolling = rollingHash;
        expected = index + 1;
        this.#report.step();
      }
    });
    if (found !== count) {
      this.#report.fault({ table: "chain-message-count", key: "n", rule: `is ${count}, there are ${found} messages` });
    }
    checkPart(this.#report, "chain-message-leaves", () => {
      for (const { key } of store.table("chain-message-leaves").range({})) {
        checkRow(this.#report, "chain-message-leaves", key, () => {
          const index = messages.indexOf(key);
          const message = index === undefined ? undefined : messages.get(index);
          return message !== undefined && equal(message.leaf, key) ? undefined : "leads to no message with that leaf";
        });
      }
    });
  }
}
