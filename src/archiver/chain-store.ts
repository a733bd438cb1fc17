import { headerTimestamp } from "../protocol/block-header.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { checkpointHash, checkpointSlot } from "../protocol/checkpoint-header.ts";
import { GENESIS_BLOCK_HASH_IN_TIPS, GENESIS_CHECKPOINT_HASH } from "../protocol/constants.ts";
import { epochSlots } from "../protocol/time.ts";
import { readTxEffects, type TxEffect } from "../protocol/tx-effect.ts";
import type { Store } from "../storage/store.ts";
import { ContentIndex } from "./content-index.ts";
import { NonSequentialCheckpointError } from "./errors.ts";
import type { RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { BlockBodies } from "./tables/block-bodies.ts";
import { BlockHeaders } from "./tables/block-headers.ts";
import { ChainState } from "./tables/chain-state.ts";
import { Checkpoints } from "./tables/checkpoints.ts";
import { Messages } from "./tables/messages.ts";
import { NumberIndex } from "./tables/number-index.ts";
import { RecentL1Blocks } from "./tables/recent-l1-blocks.ts";
import { Slots } from "./tables/slots.ts";
import { type TxLocation, Txs } from "./tables/txs.ts";
import type { BlockId, BlockRecord, ChainReader, ChainTips, CheckpointRecord } from "./types.ts";

export interface ChainStoreOptions {
  store: Store;
  /** Header of block 0 and its hash, from the world state. */
  genesis: { header: Uint8Array; hash: Uint8Array };
  /** Slots in an epoch. */
  epochDuration: number;
}

/** What L1 says about a checkpoint beside its contents. */
export type CheckpointPublication = Pick<CheckpointRecord, "l1" | "attestations" | "feeAssetPriceModifier">;

const EMPTY = new Uint8Array(0);

/**
 * The synced chain over the store's tables. Holds no state of its own: every read looks at the store, so readers on
 * other threads see each commit. Writes run inside the caller's Store.transaction.
 */
export class ChainStore implements ChainReader {
  readonly #genesis: BlockRecord;
  readonly #epochDuration: number;
  readonly #headers: BlockHeaders;
  readonly #bodies: BlockBodies;
  readonly #hashes: NumberIndex;
  readonly #archives: NumberIndex;
  readonly #checkpoints: Checkpoints;
  readonly #slots: Slots;
  readonly #txs: Txs;
  readonly #content: ContentIndex;
  readonly messages: Messages;
  readonly state: ChainState;
  readonly recentL1Blocks: RecentL1Blocks;

  constructor({ store, genesis, epochDuration }: ChainStoreOptions) {
    this.#genesis = {
      number: 0,
      hash: genesis.hash,
      header: genesis.header,
      archiveRoot: new Uint8Array(32),
      checkpointNumber: 0,
      indexWithinCheckpoint: 0,
      txCount: 0,
    };
    this.#epochDuration = epochDuration;
    this.#headers = new BlockHeaders(store);
    this.#bodies = new BlockBodies(store);
    this.#hashes = new NumberIndex(store, "chain-block-hashes");
    this.#archives = new NumberIndex(store, "chain-archives");
    this.#checkpoints = new Checkpoints(store);
    this.#slots = new Slots(store);
    this.#txs = new Txs(store);
    this.#content = new ContentIndex(store);
    this.messages = new Messages(store);
    this.state = new ChainState(store);
    this.recentL1Blocks = new RecentL1Blocks(store);
  }

  tips(): ChainTips {
    const at = (checkpoint: CheckpointRecord | undefined) => ({
      block: this.#blockId(checkpoint === undefined ? 0 : lastBlockOf(checkpoint)),
      checkpoint: checkpointId(checkpoint),
    });
    return {
      proposed: this.#blockId(this.latestBlockNumber()),
      checkpointed: at(this.#checkpoints.last()),
      proven: at(this.checkpoint(this.provenCheckpointNumber())),
      finalized: at(this.checkpoint(this.finalizedCheckpointNumber())),
    };
  }

  latestBlockNumber(): number {
    return this.#headers.last();
  }

  checkpointedBlockNumber(): number {
    return this.lastBlockOfCheckpoint(this.latestCheckpointNumber());
  }

  provenBlockNumber(): number {
    return this.lastBlockOfCheckpoint(this.provenCheckpointNumber());
  }

  finalizedBlockNumber(): number {
    return this.lastBlockOfCheckpoint(this.finalizedCheckpointNumber());
  }

  latestCheckpointNumber(): number {
    return this.#checkpoints.lastNumber();
  }

  /** Never above the latest stored checkpoint (docs/protocol/04-l1-contracts.md#417-chain-tips). */
  provenCheckpointNumber(): number {
    return Math.min(this.state.checkpoint("proven"), this.latestCheckpointNumber());
  }

  /** Never above the latest stored checkpoint. */
  finalizedCheckpointNumber(): number {
    return Math.min(this.state.checkpoint("finalized"), this.latestCheckpointNumber());
  }

  block(number: number): BlockRecord | undefined {
    return number === 0 ? this.#genesis : this.#headers.get(number);
  }

  blockBody(number: number): Uint8Array | undefined {
    return number === 0 ? EMPTY : this.#bodies.get(number);
  }

  blockNumberByHash(hash: Uint8Array): number | undefined {
    return equal(hash, this.#genesis.hash) ? 0 : this.#hashes.get(hash);
  }

  blockNumberByArchive(root: Uint8Array): number | undefined {
    return this.#archives.get(root);
  }

  checkpoint(number: number): CheckpointRecord | undefined {
    return number === 0 ? undefined : this.#checkpoints.get(number);
  }

  checkpointsOfEpoch(epoch: number): CheckpointRecord[] {
    const { first, last } = epochSlots(epoch, { epochDuration: this.#epochDuration });
    if (!Number.isSafeInteger(first) || first < 0 || last >= 2 ** 32) return [];
    return this.#slots.checkpoints(first, last).map((number) => this.#checkpoints.get(number)!);
  }

  checkpointNumberAtSlot(slot: number): number | undefined {
    return this.#slots.get(slot);
  }

  messageIndex(leaf: Uint8Array): number | undefined {
    return this.messages.indexOf(leaf);
  }

  /** Where a tx of the chain is; undefined for an unknown hash. */
  txLocation(txHash: Uint8Array): TxLocation | undefined {
    return this.#txs.get(txHash);
  }

  /** 0 for checkpoint 0 or one that is not stored. */
  lastBlockOfCheckpoint(number: number): number {
    const checkpoint = this.checkpoint(number);
    return checkpoint === undefined ? 0 : lastBlockOf(checkpoint);
  }

  /** Appends a block. Until its checkpoint is added it is a proposed one. */
  addBlock({ record, body, txs, contractEvents }: RebuiltBlock): void {
    this.#headers.put(record);
    this.#bodies.put(record.number, body);
    this.#hashes.put(record.hash, record.number);
    this.#archives.put(record.archiveRoot, record.number);
    let wordOffset = 0;
    txs.forEach((tx, indexInBlock) => {
      const wordCount = tx.words.length / 32;
      this.#txs.add(tx.txHash, { block: record.number, indexInBlock, wordOffset, wordCount });
      wordOffset += wordCount;
    });
    this.#content.add({ number: record.number, timestamp: headerTimestamp(record.header), txs }, contractEvents);
  }

  /** Whether exactly this block is stored. */
  holds({ record, body }: Pick<RebuiltBlock, "record" | "body">): boolean {
    const stored = this.#headers.get(record.number);
    return (
      stored !== undefined &&
      equal(stored.archiveRoot, record.archiveRoot) &&
      equal(stored.header, record.header) &&
      equal(this.blockBody(record.number) ?? EMPTY, body)
    );
  }

  /**
   * Appends a checkpoint and those of its blocks that are not there yet. Its own rules were checked when it was
   * rebuilt; here it must continue what is stored, and the proposed blocks there must be its first ones. Throws
   * NonSequentialCheckpointError.
   */
  addCheckpoint(checkpoint: RebuiltCheckpoint, publication: CheckpointPublication): void {
    const { checkpointNumber, blocks } = checkpoint;
    const latest = this.latestCheckpointNumber();
    if (checkpointNumber !== latest + 1) throw new NonSequentialCheckpointError(latest + 1, checkpointNumber);
    const stored = this.latestBlockNumber();
    for (const block of blocks) if (block.record.number > stored) this.addBlock(block);
    this.#checkpoints.put({
      number: checkpointNumber,
      header: checkpoint.header,
      archiveRoot: checkpoint.archiveRoot,
      outHash: checkpoint.outHash,
      startBlock: blocks[0].record.number,
      blockCount: blocks.length,
      feeAssetPriceModifier: publication.feeAssetPriceModifier,
      l1: publication.l1,
      attestations: publication.attestations,
    });
    this.#slots.put(checkpointSlot(checkpoint.header), checkpointNumber);
  }

  /** Notes that the same checkpoint now stands in another L1 block. */
  republishCheckpoint(number: number, publication: CheckpointPublication): void {
    const checkpoint = this.#checkpoints.get(number);
    if (checkpoint !== undefined) this.#checkpoints.put({ ...checkpoint, ...publication });
  }

  /**
   * Removes the checkpoints after `number` and every block after it, proposed ones too: the exact inverse of
   * addCheckpoint and addBlock. The proven and finalized marks come down with them, so that other checkpoints of the
   * same numbers do not inherit them.
   * @returns the removed blocks, highest first.
   */
  removeCheckpointsAfter(number: number): BlockRecord[] {
    const latest = this.latestCheckpointNumber();
    const removed = this.#removeBlocksAfter(this.lastBlockOfCheckpoint(Math.min(number, latest)));
    for (let c = latest; c > number; c--) {
      const checkpoint = this.#checkpoints.get(c)!;
      this.#checkpoints.remove(c);
      this.#slots.remove(checkpointSlot(checkpoint.header));
    }
    for (const mark of ["proven", "finalized"] as const) {
      if (this.state.checkpoint(mark) > number) this.state.putCheckpoint(mark, number);
    }
    return removed;
  }

  /** Removes the proposed blocks after `number`. @returns them, highest first. */
  removeProposedAfter(number: number): BlockRecord[] {
    return this.#removeBlocksAfter(Math.max(number, this.checkpointedBlockNumber()));
  }

  #removeBlocksAfter(number: number): BlockRecord[] {
    const removed: BlockRecord[] = [];
    for (let n = this.latestBlockNumber(); n > number; n--) removed.push(this.#removeBlock(n));
    return removed;
  }

  #removeBlock(number: number): BlockRecord {
    const block = this.#headers.get(number)!;
    const txs = this.txEffects(number);
    for (const { txHash } of txs) this.#txs.removeIfIn(txHash, number);
    this.#content.remove({ number, timestamp: headerTimestamp(block.header), txs });
    this.#headers.remove(number);
    this.#bodies.remove(number);
    this.#hashes.remove(block.hash);
    this.#archives.remove(block.archiveRoot);
    return block;
  }

  /** Effects of a stored block's txs, in order. */
  txEffects(number: number): TxEffect[] {
    return readTxEffects(this.blockBody(number) ?? EMPTY);
  }

  #blockId(number: number): BlockId {
    return { number, hash: number === 0 ? GENESIS_BLOCK_HASH_IN_TIPS : toHex(this.#headers.get(number)!.hash) };
  }
}

export function lastBlockOf(checkpoint: Pick<CheckpointRecord, "startBlock" | "blockCount">): number {
  return checkpoint.startBlock + checkpoint.blockCount - 1;
}

function checkpointId(checkpoint: CheckpointRecord | undefined): BlockId {
  if (checkpoint === undefined) return { number: 0, hash: GENESIS_CHECKPOINT_HASH };
  return { number: checkpoint.number, hash: toHex(checkpointHash(checkpoint.header)) };
}
