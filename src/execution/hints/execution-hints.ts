import type { Fr } from "../../protocol/field.ts";

/**
 * What the public VM was told while it ran a transaction (docs/protocol/13-proving.md#138-inputs-of-the-public-vm).
 * Runs of fields are n x 32 bytes.
 */
export interface ExecutionHints {
  readonly contractInstances: readonly ContractInstanceHint[];
  readonly contractClasses: readonly ContractClassHint[];
  readonly bytecodeCommitments: readonly { hintKey: number; classId: Fr; commitment: Fr }[];
  readonly contractDbCreateCheckpointHints: readonly CheckpointHint[];
  readonly contractDbCommitCheckpointHints: readonly CheckpointHint[];
  readonly contractDbRevertCheckpointHints: readonly CheckpointHint[];
  readonly startingTreeRoots: TreeSnapshots;
  readonly getSiblingPathHints: readonly (InTree & { index: bigint; path: Uint8Array })[];
  readonly getPreviousValueIndexHints: readonly (InTree & { value: Fr; index: bigint; alreadyPresent: boolean })[];
  readonly getLeafPreimageHintsPublicDataTree: readonly LeafPreimageHint<PublicDataLeaf>[];
  readonly getLeafPreimageHintsNullifierTree: readonly LeafPreimageHint<NullifierLeaf>[];
  readonly getLeafValueHints: readonly (InTree & { index: bigint; value: Fr })[];
  readonly sequentialInsertHintsPublicDataTree: readonly InsertionHint<PublicDataLeaf>[];
  readonly sequentialInsertHintsNullifierTree: readonly InsertionHint<NullifierLeaf>[];
  readonly appendLeavesHints: readonly (InTree & { stateAfter: Snapshot; leaves: Uint8Array })[];
  readonly createCheckpointHints: readonly CheckpointHint[];
  readonly commitCheckpointHints: readonly CheckpointHint[];
  readonly revertCheckpointHints: readonly (CheckpointHint & {
    stateBefore: TreeSnapshots;
    stateAfter: TreeSnapshots;
  })[];
}

export interface Snapshot {
  root: Fr;
  nextAvailableLeafIndex: number;
}

export interface TreeSnapshots {
  l1ToL2MessageTree: Snapshot;
  noteHashTree: Snapshot;
  nullifierTree: Snapshot;
  publicDataTree: Snapshot;
}

/** A tree as of the moment that `hintKey` tells. */
interface InTree {
  hintKey: Snapshot;
  treeId: number;
}

export interface CheckpointHint {
  /** Checkpoints that were created, committed or reverted before. */
  actionCounter: number;
  oldCheckpointId: number;
  newCheckpointId: number;
}

/** `hintKey` is the action counter of the contracts' checkpoints. */
export interface ContractInstanceHint {
  hintKey: number;
  address: Fr;
  salt: Fr;
  deployer: Fr;
  currentContractClassId: Fr;
  originalContractClassId: Fr;
  initializationHash: Fr;
  /** Absent in generations whose instances have none. */
  immutablesHash?: Fr;
  /** In the form of the generation's instances. */
  publicKeys: Uint8Array;
}

export interface ContractClassHint {
  hintKey: number;
  classId: Fr;
  artifactHash: Fr;
  privateFunctionsRoot: Fr;
  packedBytecode: Uint8Array;
}

export interface PublicDataLeaf {
  slot: Fr;
  value: Fr;
}

export interface NullifierLeaf {
  nullifier: Fr;
}

export interface LeafPreimage<Leaf> {
  leaf: Leaf;
  nextKey: Fr;
  nextIndex: bigint;
}

export interface LeafPreimageHint<Leaf> {
  hintKey: Snapshot;
  index: bigint;
  leafPreimage: LeafPreimage<Leaf>;
}

interface LeafWitness<Leaf> {
  leaf: LeafPreimage<Leaf>;
  index: bigint;
  path: Uint8Array;
}

export interface InsertionHint<Leaf> extends InTree {
  stateAfter: Snapshot;
  leaf: Leaf;
  lowLeavesWitnessData: LeafWitness<Leaf>;
  insertionWitnessData: LeafWitness<Leaf>;
}
