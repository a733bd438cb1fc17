import { array, type Codec, type Decoded, struct } from "../../codec/codec.ts";
import { field, fields, u64 } from "../../codec/primitives.ts";
import { type ProofData, type ProofRules, proofData } from "./proof-data.ts";
import {
  BlobAccumulator,
  BlockRollup,
  CheckpointConstants,
  CheckpointRollup,
  FinalBlobChallenges,
  namedProver,
  parity,
  TxRollup,
} from "./rollups.ts";
import { BlockHeaderBytes, BlsPoint, Snapshot, State } from "./values.ts";

/** Inputs of the circuits above the transactions, and of those for messages. */

/** One or two children, left first. */
export type Children<T> = readonly ProofData<T>[];

const parityProof = ({ circuits }: ProofRules) => proofData(parity(circuits), circuits.proofFields.honk);
const txProof = ({ circuits }: ProofRules) => proofData(TxRollup, circuits.proofFields.rollup);
const blockProof = ({ circuits }: ProofRules) => proofData(BlockRollup, circuits.proofFields.rollup);
const checkpointProof = ({ circuits }: ProofRules) => proofData(CheckpointRollup, circuits.proofFields.rollup);

export function parityBaseInput({ circuits }: ProofRules) {
  const proverId = namedProver(circuits.parityNamesProver);
  return struct({ messages: fields(256), vkTreeRoot: field, proverId });
}
export type ParityBaseInput = Decoded<ReturnType<typeof parityBaseInput>>;

export function parityRootInput(rules: ProofRules) {
  return struct({ children: array(parityProof(rules), 4) });
}
export type ParityRootInput = Decoded<ReturnType<typeof parityRootInput>>;

function children<T>(child: Codec<ProofData<T>>, count: number) {
  return struct({ children: array(child, count) });
}

export const txMergeInput = (rules: ProofRules) => children(txProof(rules), 2);
export const blockMergeInput = (rules: ProofRules) => children(blockProof(rules), 2);
/** Also of the root. */
export const checkpointMergeInput = (rules: ProofRules) => children(checkpointProof(rules), 2);

/** Of `txs` children, 1 or 2. */
export function blockRootFirstInput(rules: ProofRules, txs: number) {
  return struct({
    parity: parityProof(rules),
    children: array(txProof(rules), txs),
    previousL1ToL2MessageTree: Snapshot,
    /** Path of the checkpoint's subtree of messages. */
    messageSubtreePath: fields(26),
    newArchivePath: fields(30),
  });
}
export type BlockRootFirstInput = Decoded<ReturnType<typeof blockRootFirstInput>>;

export function blockRootEmptyTxFirstInput(rules: ProofRules) {
  return struct({
    parity: parityProof(rules),
    previousArchive: Snapshot,
    previousState: State,
    constants: CheckpointConstants,
    timestamp: u64,
    messageSubtreePath: fields(26),
    newArchivePath: fields(30),
  });
}
export type BlockRootEmptyTxFirstInput = Decoded<ReturnType<typeof blockRootEmptyTxFirstInput>>;

/** Of `txs` children, 1 or 2. */
export function blockRootInput(rules: ProofRules, txs: number) {
  return struct({ children: array(txProof(rules), txs), newArchivePath: fields(30) });
}
export type BlockRootInput = Decoded<ReturnType<typeof blockRootInput>>;

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

/** Of `blocks` children, 1 or 2. */
export function checkpointRootInput(rules: ProofRules, blocks: number) {
  return struct({ children: array(blockProof(rules), blocks), hints: CheckpointRootHints });
}
export type CheckpointRootInput = Decoded<ReturnType<typeof checkpointRootInput>>;
