import type { Generation } from "../protocol/generations/generation.ts";
import type { BlockRecord, CheckpointRecord } from "./tables/records.ts";

/** A block that was removed, with the hashes of its txs in order. */
export interface RemovedBlock extends BlockRecord {
  txHashes: Uint8Array[];
}

export interface BlockId {
  number: number;
  /** 0x text; the constants of docs/protocol/02-trees.md#213-genesis-header-and-constants for number 0. */
  hash: string;
}

export interface ChainTips {
  proposed: BlockId;
  checkpointed: { block: BlockId; checkpoint: BlockId };
  proven: { block: BlockId; checkpoint: BlockId };
  finalized: { block: BlockId; checkpoint: BlockId };
}

/** Reads of the synced chain. Synchronous; each synchronous run sees one snapshot. What does not exist is undefined. */
export interface ChainReader {
  /** Protocol of the rollup. */
  readonly generation: Generation;
  tips(): ChainTips;
  /** Number of the highest block, the proposed tip. */
  latestBlockNumber(): number;
  checkpointedBlockNumber(): number;
  provenBlockNumber(): number;
  finalizedBlockNumber(): number;
  latestCheckpointNumber(): number;
  block(number: number): BlockRecord | undefined;
  /** Tx words of a block (see TxEffect), empty for a block without txs. */
  blockBody(number: number): Uint8Array | undefined;
  /** The genesis hash gives 0. */
  blockNumberByHash(hash: Uint8Array): number | undefined;
  /** Looks up the archive root after the block; the genesis archive root gives undefined. */
  blockNumberByArchive(root: Uint8Array): number | undefined;
  checkpoint(number: number): CheckpointRecord | undefined;
  /** Checkpoints whose slot is in the epoch, in order. */
  checkpointsOfEpoch(epoch: number): CheckpointRecord[];
  /** Global index of an L1-to-L2 message. */
  messageIndex(leaf: Uint8Array): number | undefined;
}
