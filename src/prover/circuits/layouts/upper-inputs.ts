import { array, type Codec, type Decoded, struct } from "../../codec/codec.ts";
import { field, fields, u64 } from "../../codec/primitives.ts";
import { PROOF_FIELDS, type ProofData, proofData } from "./proof-data.ts";
import {
  BlobAccumulator,
  BlockRollup,
  CheckpointConstants,
  CheckpointRollup,
  FinalBlobChallenges,
  Parity,
  TxRollup,
} from "./rollups.ts";
import { BlockHeaderBytes, BlsPoint, Snapshot, State } from "./values.ts";

/** Inputs of the circuits above the transactions, and of those for messages. */

const parityProof = proofData(Parity, PROOF_FIELDS.honk);
const txProof = proofData(TxRollup, PROOF_FIELDS.rollup);
const blockProof = proofData(BlockRollup, PROOF_FIELDS.rollup);
const checkpointProof = proofData(CheckpointRollup, PROOF_FIELDS.rollup);

/** One or two children, left first. */
export type Children<T> = readonly ProofData<T>[];

export const ParityBaseInput = struct({ messages: fields(256), vkTreeRoot: field });
export type ParityBaseInput = Decoded<typeof ParityBaseInput>;

export const ParityRootInput = struct({ children: array(parityProof, 4) });
export type ParityRootInput = Decoded<typeof ParityRootInput>;

function children<T>(child: Codec<ProofData<T>>, count: number) {
  return struct({ children: array(child, count) });
}

export const TxMergeInput = children(txProof, 2);
export const BlockMergeInput = children(blockProof, 2);
/** Also of the root. */
export const CheckpointMergeInput = children(checkpointProof, 2);

function firstBlockRoot(txs: number) {
  return struct({
    parity: parityProof,
    children: array(txProof, txs),
    previousL1ToL2MessageTree: Snapshot,
    /** Path of the checkpoint's subtree of messages. */
    messageSubtreePath: fields(26),
    newArchivePath: fields(30),
  });
}
export const BlockRootFirstInput = firstBlockRoot(2);
export const BlockRootSingleTxFirstInput = firstBlockRoot(1);
export type BlockRootFirstInput = Decoded<typeof BlockRootFirstInput>;

export const BlockRootEmptyTxFirstInput = struct({
  parity: parityProof,
  previousArchive: Snapshot,
  previousState: State,
  constants: CheckpointConstants,
  timestamp: u64,
  messageSubtreePath: fields(26),
  newArchivePath: fields(30),
});
export type BlockRootEmptyTxFirstInput = Decoded<typeof BlockRootEmptyTxFirstInput>;

function laterBlockRoot(txs: number) {
  return struct({ children: array(txProof, txs), newArchivePath: fields(30) });
}
export const BlockRootInput = laterBlockRoot(2);
export const BlockRootSingleTxInput = laterBlockRoot(1);
export type BlockRootInput = Decoded<typeof BlockRootInput>;

export const CheckpointRootHints = struct({
  previousBlockHeader: BlockHeaderBytes,
  previousArchivePath: fields(30),
  previousOutHash: Snapshot,
  newOutHashPath: fields(5),
  startAccumulator: BlobAccumulator,
  finalChallenges: FinalBlobChallenges,
  /** All words of the checkpoint's blobs, then zeros. */
  blobFields: fields(24_576),
  /** Zero for blobs that the checkpoint does not have. */
  blobCommitments: array(BlsPoint, 6),
  blobsHash: field,
});
export type CheckpointRootHints = Decoded<typeof CheckpointRootHints>;

function checkpointRoot(blocks: number) {
  return struct({ children: array(blockProof, blocks), hints: CheckpointRootHints });
}
export const CheckpointRootInput = checkpointRoot(2);
export const CheckpointRootSingleBlockInput = checkpointRoot(1);
export type CheckpointRootInput = Decoded<typeof CheckpointRootInput>;
