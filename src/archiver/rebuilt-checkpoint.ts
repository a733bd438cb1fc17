import type { CheckpointHeader } from "../protocol/checkpoint-header.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { ContractEvents } from "./contract-events.ts";
import type { BlockRecord } from "./tables/records.ts";

/** Input for rebuilding a checkpoint. Plain data, so that it can cross threads. */
export interface RebuildInput {
  checkpointNumber: number;
  header: CheckpointHeader;
  /** Archive root after the last block, from the proposal's calldata. */
  archiveRoot: Uint8Array;
  /** Undefined if the caller does not compare the header's blobs hash with them, or does it by itself. */
  versionedBlobHashes: Uint8Array[] | undefined;
  /** The concatenated blobs. */
  blobs: Uint8Array;
  l1ChainId: number;
  rollupVersion: number;
  rollupManaLimit: number;
}

export interface RebuiltBlock {
  record: BlockRecord;
  /** Concatenated words of the txs, as stored. */
  body: Uint8Array;
  txs: TxEffect[];
  contractEvents: ContractEvents;
}

/**
 * A block made or executed by this node whose checkpoint is not on L1 yet. Its contract events must be those of its
 * txs; everything else is checked when the block is stored or its checkpoint arrives.
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
