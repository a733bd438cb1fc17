import { mapKey } from "../../protocol/bytes.ts";
import {
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../../protocol/field.ts";
import type { Fork } from "../../world-state/fork.ts";
import type { IndexedLeaf } from "../../world-state/tables/leaf-row.ts";
import { insertSequentiallyWithWitnesses, type LeafWitness } from "../../world-state/witnessed-insertion.ts";
import { CheckpointLog } from "./checkpoint-log.ts";
import type {
  ExecutionHints,
  InsertionHint,
  LeafPreimage,
  LeafPreimageHint,
  NullifierLeaf,
  PublicDataLeaf,
  Snapshot,
  TreeSnapshots,
} from "./execution-hints.ts";
import { HintList } from "./hint-list.ts";

type IndexedTree = typeof NULLIFIER_TREE | typeof PUBLIC_DATA_TREE;
type Items<Key extends keyof ExecutionHints> = ExecutionHints[Key] extends readonly (infer Item)[] ? Item : never;

function publicDataPreimage({ key, value = FR_ZERO, nextKey, nextIndex }: IndexedLeaf): LeafPreimage<PublicDataLeaf> {
  return { leaf: { slot: key, value }, nextKey, nextIndex: BigInt(nextIndex) };
}

function nullifierPreimage({ key, nextKey, nextIndex }: IndexedLeaf): LeafPreimage<NullifierLeaf> {
  return { leaf: { nullifier: key }, nextKey, nextIndex: BigInt(nextIndex) };
}

function snapshotOf(fork: Fork, tree: TreeId): Snapshot {
  const { root, size } = fork.snapshot(tree);
  return { root, nextAvailableLeafIndex: size };
}

/** The trees as they are now. */
export function treeSnapshots(fork: Fork): TreeSnapshots {
  return {
    l1ToL2MessageTree: snapshotOf(fork, L1_TO_L2_MESSAGE_TREE),
    noteHashTree: snapshotOf(fork, NOTE_HASH_TREE),
    nullifierTree: snapshotOf(fork, NULLIFIER_TREE),
    publicDataTree: snapshotOf(fork, PUBLIC_DATA_TREE),
  };
}

/** Reads and changes the trees for one transaction and collects what the VM is told about them. */
export class TreeHints {
  readonly #fork: Fork;
  readonly #start: TreeSnapshots;
  /** Trees that have not changed since they were asked for. */
  readonly #snapshots = new Map<TreeId, { snapshot: Snapshot; key: string }>();
  readonly #checkpoints = new CheckpointLog((parent) => parent + 1);
  readonly #reverted: Items<"revertCheckpointHints">[] = [];
  readonly #paths = new HintList<Items<"getSiblingPathHints">>();
  readonly #lows = new HintList<Items<"getPreviousValueIndexHints">>();
  readonly #publicDataLeaves = new HintList<LeafPreimageHint<PublicDataLeaf>>();
  readonly #nullifierLeaves = new HintList<LeafPreimageHint<NullifierLeaf>>();
  readonly #values = new HintList<Items<"getLeafValueHints">>();
  readonly #publicDataInsertions = new HintList<InsertionHint<PublicDataLeaf>>();
  readonly #nullifierInsertions = new HintList<InsertionHint<NullifierLeaf>>();
  readonly #appended = new HintList<Items<"appendLeavesHints">>();

  constructor(fork: Fork) {
    this.#fork = fork;
    this.#start = treeSnapshots(fork);
  }

  /** A tree's snapshot and the same as a key. */
  #state(tree: TreeId): { snapshot: Snapshot; key: string } {
    let state = this.#snapshots.get(tree);
    if (state === undefined) {
      const snapshot = snapshotOf(this.#fork, tree);
      state = { snapshot, key: `${tree} ${snapshot.nextAvailableLeafIndex} ${mapKey(snapshot.root)}` };
      this.#snapshots.set(tree, state);
    }
    return state;
  }

  /** The leaf's value; reading it is proven. */
  read(tree: typeof NOTE_HASH_TREE | typeof L1_TO_L2_MESSAGE_TREE, index: bigint): Fr {
    const { snapshot: hintKey, key } = this.#state(tree);
    const value = this.#fork.leafAt(tree, Number(index));
    this.#values.add(`${key} ${index}`, () => ({ hintKey, treeId: tree, index, value }));
    this.#path(tree, index);
    return value;
  }

  /** Looks a key up. */
  find(tree: IndexedTree, value: Fr): { leaf: IndexedLeaf; present: boolean } {
    const { snapshot: hintKey, key } = this.#state(tree);
    const low = this.#fork.lowLeaf(tree, value);
    const copy = value.slice();
    const index = BigInt(low.leaf.index);
    this.#lows.add(`${key} ${mapKey(copy)}`, () => {
      return { hintKey, treeId: tree, value: copy, index, alreadyPresent: low.present };
    });
    return low;
  }

  /** As `find`; what it finds is proven. */
  findProven(tree: IndexedTree, value: Fr): { leaf: IndexedLeaf; present: boolean } {
    const low = this.find(tree, value);
    this.prove(tree, low.leaf);
    return low;
  }

  /** A leaf that was found, with its path. */
  prove(tree: IndexedTree, leaf: IndexedLeaf): void {
    this.#path(tree, BigInt(leaf.index));
    this.preimage(tree, leaf);
  }

  /** A leaf that was found, without its path. */
  preimage(tree: IndexedTree, leaf: IndexedLeaf): void {
    const { snapshot: hintKey, key } = this.#state(tree);
    const index = BigInt(leaf.index);
    const at = `${key} ${index}`;
    if (tree === NULLIFIER_TREE) {
      this.#nullifierLeaves.add(at, () => ({ hintKey, index, leafPreimage: nullifierPreimage(leaf) }));
    } else {
      this.#publicDataLeaves.add(at, () => ({ hintKey, index, leafPreimage: publicDataPreimage(leaf) }));
    }
  }

  #path(tree: TreeId, index: bigint): void {
    const { snapshot: hintKey, key } = this.#state(tree);
    this.#paths.add(`${key} ${index}`, () => {
      return { hintKey, treeId: tree, index, path: this.#fork.siblingPath(tree, Number(index)) };
    });
  }

  writePublicData(slot: Fr, value: Fr): void {
    const { snapshot: hintKey, key } = this.#state(PUBLIC_DATA_TREE);
    const { lowLeaf, insertion, stateAfter } = this.#insert(PUBLIC_DATA_TREE, slot, value);
    this.#publicDataInsertions.add(`${key} ${mapKey(slot)} ${mapKey(value)}`, () => ({
      hintKey,
      stateAfter,
      treeId: PUBLIC_DATA_TREE,
      leaf: { slot, value },
      lowLeavesWitnessData: witness(lowLeaf, publicDataPreimage),
      insertionWitnessData: witness(insertion, publicDataPreimage),
    }));
  }

  /** The nullifier must be new. */
  insertNullifier(nullifier: Fr): void {
    const { snapshot: hintKey, key } = this.#state(NULLIFIER_TREE);
    const { lowLeaf, insertion, stateAfter } = this.#insert(NULLIFIER_TREE, nullifier);
    this.#nullifierInsertions.add(`${key} ${mapKey(nullifier)}`, () => ({
      hintKey,
      stateAfter,
      treeId: NULLIFIER_TREE,
      leaf: { nullifier },
      lowLeavesWitnessData: witness(lowLeaf, nullifierPreimage),
      insertionWitnessData: witness(insertion, nullifierPreimage),
    }));
  }

  #insert(tree: IndexedTree, key: Fr, value?: Fr) {
    const { steps } = insertSequentiallyWithWitnesses(this.#fork, tree, [{ key, value }]);
    this.#snapshots.delete(tree);
    return { ...steps[0], stateAfter: this.#state(tree).snapshot };
  }

  appendNoteHash(noteHash: Fr): void {
    const { snapshot: hintKey, key } = this.#state(NOTE_HASH_TREE);
    this.#fork.append(NOTE_HASH_TREE, [noteHash]);
    this.#snapshots.delete(NOTE_HASH_TREE);
    const { snapshot: stateAfter } = this.#state(NOTE_HASH_TREE);
    this.#appended.add(`${key} ${mapKey(noteHash)}`, () => {
      return { hintKey, stateAfter, treeId: NOTE_HASH_TREE, leaves: noteHash };
    });
    this.#path(NOTE_HASH_TREE, BigInt(hintKey.nextAvailableLeafIndex));
  }

  create(): void {
    this.#checkpoints.create();
    this.#fork.openFrame();
  }

  commit(): void {
    this.#fork.commitFrame();
    this.#checkpoints.commit();
  }

  revert(): void {
    const stateBefore = treeSnapshots(this.#fork);
    this.#fork.revertFrame();
    this.#snapshots.clear();
    this.#reverted.push({ ...this.#checkpoints.revert(), stateBefore, stateAfter: treeSnapshots(this.#fork) });
  }

  get hints() {
    return {
      startingTreeRoots: this.#start,
      getSiblingPathHints: this.#paths.hints,
      getPreviousValueIndexHints: this.#lows.hints,
      getLeafPreimageHintsPublicDataTree: this.#publicDataLeaves.hints,
      getLeafPreimageHintsNullifierTree: this.#nullifierLeaves.hints,
      getLeafValueHints: this.#values.hints,
      sequentialInsertHintsPublicDataTree: this.#publicDataInsertions.hints,
      sequentialInsertHintsNullifierTree: this.#nullifierInsertions.hints,
      appendLeavesHints: this.#appended.hints,
      createCheckpointHints: this.#checkpoints.created,
      commitCheckpointHints: this.#checkpoints.committed,
      revertCheckpointHints: this.#reverted,
    };
  }
}

function witness<Leaf>({ leaf, index, path }: LeafWitness, preimage: (leaf: IndexedLeaf) => LeafPreimage<Leaf>) {
  return { leaf: preimage(leaf), index: BigInt(index), path };
}
