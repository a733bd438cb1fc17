import type { CheckpointHeader } from "../protocol/checkpoint-header.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { ContractEvents } from "./contract-events.ts";
import type { BlockRecord } from "./types.ts";

/** What is needed to rebuild a checkpoint: plain data, so that it can cross to another thread. */
export interface RebuildInput {
  checkpointNumber: number;
  header: CheckpointHeader;
  /** Archive after the last block, from the proposal's calldata. */
  archiveRoot: Uint8Array;
  versionedBlobHashes: Uint8Array[];
  /** The blobs back to back. */
  blobs: Uint8Array;
  l1ChainId: number;
  rollupVersion: number;
  rollupManaLimit: number;
}

export interface RebuiltBlock {
  record: BlockRecord;
  /** Words of the txs, back to back: the stored form. */
  body: Uint8Array;
  txs: TxEffect[];
  contractEvents: ContractEvents;
}

/**
 * A block whose checkpoint is not on L1 yet, made or executed by this node: its contract events are those of its txs. Everything else of
 * it is checked when it is stored or when its checkpoint arrives.
 */
export type ProposedBlock = RebuiltBlock;

export interface RebuiltCheckpoint {
  checkpointNumber: number;
  header: CheckpointHeader;
  archiveRoot: Uint8Array;
  /** Out hash of this checkpoint alone. */
  outHash: Uint8Array;
  blocks: RebuiltBlock[];
}
