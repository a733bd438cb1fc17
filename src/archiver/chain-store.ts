import { toHex } from "../protocol/bytes.ts";
import { checkpointHash, checkpointSlot } from "../protocol/checkpoint-header.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { epochSlots } from "../protocol/time.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { Store } from "../storage/store.ts";
import { NonSequentialCheckpointError } from "./errors.ts";
import type { RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { type GenesisBlock, StoredBlocks } from "./stored-blocks.ts";
import { ChainState } from "./tables/chain-state.ts";
import { Checkpoints } from "./tables/checkpoints.ts";
import { Messages } from "./tables/messages.ts";
import { ProvenL1Block } from "./tables/proven-l1-block.ts";
import { RecentL1Blocks } from "./tables/recent-l1-blocks.ts";
import type { BlockRecord, CheckpointRecord } from "./tables/records.ts";
import { Slots } from "./tables/slots.ts";
import type { TxLocation } from "./tables/txs.ts";
import type { BlockId, ChainReader, ChainTips, RemovedBlock } from "./types.ts";

interface ChainStoreOptions {
  store: Store;
  genesis: GenesisBlock;
  /** Slots in an epoch. */
  epochDuration: number;
  /** Protocol of the rollup. */
  generation: Generation;
}

/** What L1 says about a checkpoint beside its contents. */
export type CheckpointPublication = Pick<CheckpointRecord, "l1" | "attestations" | "feeAssetPriceModifier">;

/**
 * The synced chain over the store's tables. Holds no state of its own: every read looks at the store, so readers on
 * other threads see each commit. Writes run inside the caller's Store.transaction.
 */
export class ChainStore implements ChainReader {
  readonly generation: Generation;
  readonly #epochDuration: number;
  readonly #blocks: StoredBlocks;
  readonly #checkpoints: Checkpoints;
  readonly #slots: Slots;
  readonly messages: Messages;
  readonly state: ChainState;
  readonly recentL1Blocks: RecentL1Blocks;
  readonly provenL1Block: ProvenL1Block;

  constructor({ store, genesis, epochDuration, generation }: ChainStoreOptions) {
    this.generation = generation;
    this.#epochDuration = epochDuration;
    this.#blocks = new StoredBlocks(store, genesis, generation);
    this.#checkpoints = new Checkpoints(store, generation);
    this.#slots = new Slots(store);
    this.messages = new Messages(store);
    this.state = new ChainState(store);
    this.recentL1Blocks = new RecentL1Blocks(store);
    this.provenL1Block = new ProvenL1Block(store);
  }

  tips(): ChainTips {
    const at = (checkpoint: CheckpointRecord | undefined) => ({
      block: this.#blocks.id(checkpoint === undefined ? 0 : lastBlockOf(checkpoint)),
      checkpoint: this.#checkpointId(checkpoint),
    });
    return {
      proposed: this.#blocks.id(this.latestBlockNumber()),
      checkpointed: at(this.#checkpoints.last()),
      proven: at(this.checkpoint(this.provenCheckpointNumber())),
      finalized: at(this.checkpoint(this.finalizedCheckpointNumber())),
    };
  }

  #checkpointId(checkpoint: CheckpointRecord | undefined): BlockId {
    if (checkpoint === undefined) return { number: 0, hash: this.generation.genesis.checkpointHash };
    return { number: checkpoint.number, hash: toHex(checkpointHash(checkpoint.header)) };
  }

  latestBlockNumber(): number {
    return this.#blocks.latestNumber();
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
    return this.#blocks.get(number);
  }

  blockBody(number: number): Uint8Array | undefined {
    return this.#blocks.body(number);
  }

  blockNumberByHash(hash: Uint8Array): number | undefined {
    return this.#blocks.numberByHash(hash);
  }

  blockNumberByArchive(root: Uint8Array): number | undefined {
    return this.#blocks.numberByArchive(root);
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
    return this.#blocks.txLocation(txHash);
  }

  /** Effects of a stored block's txs, in order. */
  txEffects(number: number): TxEffect[] {
    return this.#blocks.txEffects(number);
  }

  /** 0 for checkpoint 0 or one that is not stored. */
  lastBlockOfCheckpoint(number: number): number {
    const checkpoint = this.checkpoint(number);
    return checkpoint === undefined ? 0 : lastBlockOf(checkpoint);
  }

  /** Appends a block. Until its checkpoint is added it is a proposed one. */
  addBlock(block: RebuiltBlock): void {
    this.#blocks.add(block);
  }

  /** Whether exactly this block is stored. */
  holds(block: Pick<RebuiltBlock, "record" | "body">): boolean {
    return this.#blocks.holds(block);
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
    for (const block of blocks) if (block.record.number > stored) this.#blocks.add(block);
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
  removeCheckpointsAfter(number: number): RemovedBlock[] {
    const latest = this.latestCheckpointNumber();
    const removed = this.#blocks.removeAfter(this.lastBlockOfCheckpoint(Math.min(number, latest)));
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
  removeProposedAfter(number: number): RemovedBlock[] {
    return this.#blocks.removeAfter(Math.max(number, this.checkpointedBlockNumber()));
  }
}

export function lastBlockOf(checkpoint: Pick<CheckpointRecord, "startBlock" | "blockCount">): number {
  return checkpoint.startBlock + checkpoint.blockCount - 1;
}
