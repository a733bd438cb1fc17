import type { CommitteeAttestation, L1Block } from "../../l1/types.ts";
import type { BlockHeader } from "../../protocol/block-header.ts";
import type { CheckpointHeader } from "../../protocol/checkpoint-header.ts";

/** A block without its transactions. Block 0 is genesis: zero archive, checkpoint 0. */
export interface BlockRecord {
  number: number;
  hash: Uint8Array;
  header: BlockHeader;
  /** Archive after the block; its size is `number + 1` (0 for genesis). */
  archiveRoot: Uint8Array;
  checkpointNumber: number;
  indexWithinCheckpoint: number;
  txCount: number;
}

export interface CheckpointRecord {
  number: number;
  header: CheckpointHeader;
  /** Archive after its last block. */
  archiveRoot: Uint8Array;
  /** Out hash of this checkpoint alone. */
  outHash: Uint8Array;
  startBlock: number;
  blockCount: number;
  feeAssetPriceModifier: bigint;
  l1: L1Block;
  attestations: CommitteeAttestation[];
}
