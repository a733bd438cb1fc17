import type { TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import { duplicateKeyError, keyPresentError } from "./errors.ts";
import { type Fork, isEmptyLeaf, type LeafToInsert } from "./fork.ts";
import type { IndexedLeaf } from "./tables/leaf-row.ts";
import type { IndexedTree } from "./tables/state-view.ts";

/** A leaf's position, preimage and sibling path, all as of the same moment. */
export interface LeafWitness {
  index: number;
  /** The empty preimage has zero words. */
  leaf: IndexedLeaf;
  /** height x 32 bytes. */
  path: Uint8Array;
}

interface BatchInsertion {
  /** Leaves in descending order of keys; empty ones last. */
  sortedLeaves: LeafToInsert[];
  /** Input position of each sorted leaf. */
  sortedIndexes: number[];
  /** One per non-empty leaf in sorted order: its low leaf before the change. Padded to n with the empty witness. */
  lowLeafWitnesses: LeafWitness[];
  /** Siblings of the new subtree, after the low leaves changed and before the new leaves are written. */
  subtreePath: Uint8Array;
}

interface SequentialInsertion {
  /** One per non-empty leaf. */
  steps: { lowLeaf: LeafWitness; insertion: LeafWitness }[];
}

function emptyWitness(tree: IndexedTree, index: number, path: Uint8Array): LeafWitness {
  const leaf = { index, key: FR_ZERO, nextKey: FR_ZERO, nextIndex: 0, ...(tree === 2 ? { value: FR_ZERO } : {}) };
  return { index, leaf, path };
}

/** Batch insertion that records the witnesses needed for proving (docs/protocol/02-trees.md#29-batch-insertion). */
export function insertBatchWithWitnesses(
  fork: Fork,
  tree: IndexedTree,
  leaves: LeafToInsert[],
  subtreeHeight: number,
): BatchInsertion {
  const size = fork.size(tree);
  const sortedIndexes = leaves.map((_, i) => i).sort((a, b) => Buffer.compare(leaves[b].key, leaves[a].key) || a - b);
  const lowLeafWitnesses: LeafWitness[] = [];
  const added: { leaf: LeafToInsert; position: number }[] = [];
  let larger: Uint8Array | undefined;
  for (const i of sortedIndexes) {
    const leaf = leaves[i];
    if (isEmptyLeaf(leaf)) continue;
    if (larger !== undefined && Buffer.compare(larger, leaf.key) === 0) throw duplicateKeyError(tree, leaf.key);
    larger = leaf.key;
    const { leaf: low, present } = fork.lowLeaf(tree, leaf.key);
    lowLeafWitnesses.push({ index: low.index, leaf: low, path: fork.siblingPath(tree, low.index) });
    if (present) {
      if (leaf.value === undefined) throw keyPresentError(leaf.key);
      fork.updateValue(low, leaf.value);
    } else {
      fork.relinkLow(tree, low, leaf.key, size + i);
      added.push({ leaf, position: size + i });
    }
  }
  const subtreePath = fork.siblingPath(tree, size).subarray(subtreeHeight * 32);
  fork.addLinked(tree, added);
  fork.skip(tree, leaves.length);
  const zeroPath = new Uint8Array(fork.siblingPath(tree, 0).length);
  while (lowLeafWitnesses.length < leaves.length) lowLeafWitnesses.push(emptyWitness(tree, 0, zeroPath));
  return { sortedLeaves: sortedIndexes.map((i) => leaves[i]), sortedIndexes, lowLeafWitnesses, subtreePath };
}

/** Sequential insertion with witnesses (docs/protocol/02-trees.md#28-sequential-insertion). */
export function insertSequentiallyWithWitnesses(
  fork: Fork,
  tree: IndexedTree,
  leaves: LeafToInsert[],
): SequentialInsertion {
  const steps = leaves
    .filter((leaf) => !isEmptyLeaf(leaf))
    .map((leaf) => {
      const { leaf: low, present } = fork.lowLeaf(tree, leaf.key);
      const lowLeaf = { index: low.index, leaf: low, path: fork.siblingPath(tree, low.index) };
      const position = fork.size(tree);
      fork.insertOne(tree, leaf);
      const path = present ? new Uint8Array(lowLeaf.path.length) : fork.siblingPath(tree as TreeId, position);
      return { lowLeaf, insertion: emptyWitness(tree, present ? 0 : position, path) };
    });
  return { steps };
}
