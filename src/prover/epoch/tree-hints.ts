import { bigUintBytes, concat } from "../../protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../../protocol/constants.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import { items, type TxEffect } from "../../protocol/tx-effect.ts";
import type { Fork } from "../../world-state/fork.ts";
import { insertBatchWithWitnesses } from "../../world-state/witnessed-insertion.ts";
import type { PrivateBaseInput } from "../circuits/layouts/tx-base.ts";
import type { PartialState, Snapshot, State } from "../circuits/layouts/values.ts";

/** Heights of the subtrees that are appended as a whole: 64 leaves of a transaction, 1024 messages of a checkpoint. */
const TX_SUBTREE_HEIGHT = 6;
const MESSAGE_SUBTREE_HEIGHT = 10;

export function treeSnapshot(fork: Fork, tree: TreeId): Snapshot {
  const { root, size } = fork.snapshot(tree);
  return { root, nextAvailableLeafIndex: size };
}

export function partialState(fork: Fork): PartialState {
  return {
    noteHashTree: treeSnapshot(fork, NOTE_HASH_TREE),
    nullifierTree: treeSnapshot(fork, NULLIFIER_TREE),
    publicDataTree: treeSnapshot(fork, PUBLIC_DATA_TREE),
  };
}

export function stateOf(fork: Fork): State {
  return { l1ToL2MessageTree: treeSnapshot(fork, L1_TO_L2_MESSAGE_TREE), partial: partialState(fork) };
}

/** Path of the next leaf of the archive. */
export function newArchivePath(fork: Fork): Uint8Array {
  return fork.siblingPath(ARCHIVE, fork.size(ARCHIVE));
}

/** Path of the subtree of the next checkpoint's messages. */
export function messageSubtreePath(fork: Fork): Uint8Array {
  return nextSubtreePath(fork, L1_TO_L2_MESSAGE_TREE, MESSAGE_SUBTREE_HEIGHT);
}

function nextSubtreePath(fork: Fork, tree: TreeId, height: number): Uint8Array {
  return fork.siblingPath(tree, fork.size(tree)).subarray(height * 32);
}

type PrivateTreeHints = Pick<PrivateBaseInput["hints"], "treeDiff" | "feePayerBalance">;

/**
 * Applies the effect of a transaction without public calls, which writes the fee payer's balance and nothing else to
 * the public data tree. Undefined, and nothing applied, if the effect is not such a one.
 */
export function applyPrivateTx(fork: Fork, effect: TxEffect): PrivateTreeHints | undefined {
  const [slot, value, ...rest] = items(effect.publicDataWrites);
  const balance = slot === undefined ? undefined : fork.leaf(PUBLIC_DATA_TREE, slot);
  if (balance?.value === undefined || rest.length > 0) return undefined;
  const noteHashSubtreePath = nextSubtreePath(fork, NOTE_HASH_TREE, TX_SUBTREE_HEIGHT);
  fork.append(NOTE_HASH_TREE, items(effect.noteHashes), MAX_NOTE_HASHES_PER_TX);
  const nullifiers = applyNullifiers(fork, effect);
  const balancePath = fork.siblingPath(PUBLIC_DATA_TREE, balance.index);
  fork.updateValue(balance, value);
  return {
    treeDiff: {
      noteHashSubtreePath,
      ...nullifiers,
      feePayerBalancePath: { leafIndex: u256(balance.index), siblingPath: balancePath },
    },
    feePayerBalance: {
      slot: balance.key,
      value: balance.value,
      nextSlot: balance.nextKey,
      nextIndex: u256(balance.nextIndex),
    },
  };
}

function applyNullifiers(fork: Fork, effect: TxEffect) {
  const nullifiers = items(effect.nullifiers);
  const leaves = Array.from({ length: MAX_NULLIFIERS_PER_TX }, (_, i) => ({ key: nullifiers[i] ?? FR_ZERO }));
  const inserted = insertBatchWithWitnesses(fork, NULLIFIER_TREE, leaves, TX_SUBTREE_HEIGHT);
  return {
    lowNullifiers: inserted.lowLeafWitnesses.map(({ leaf }) => ({
      nullifier: leaf.key,
      nextNullifier: leaf.nextKey,
      nextIndex: u256(leaf.nextIndex),
    })),
    lowNullifierPaths: inserted.lowLeafWitnesses.map(({ index, path }) => ({
      leafIndex: u256(index),
      siblingPath: path,
    })),
    sortedNullifiers: concat(...inserted.sortedLeaves.map(({ key }) => key)),
    sortedNullifierIndexes: inserted.sortedIndexes,
    nullifierSubtreePath: inserted.subtreePath,
  };
}

/** Applies the effect of a transaction with public calls: its VM proof shows the insertions one by one. */
export function applyPublicTx(fork: Fork, effect: TxEffect): void {
  fork.append(NOTE_HASH_TREE, items(effect.noteHashes), MAX_NOTE_HASHES_PER_TX);
  const first = fork.size(NULLIFIER_TREE);
  const nullifiers = items(effect.nullifiers);
  fork.insertNullifiers(
    nullifiers,
    nullifiers.map((_, i) => first + i),
  );
  fork.skip(NULLIFIER_TREE, MAX_NULLIFIERS_PER_TX);
  const words = items(effect.publicDataWrites);
  for (let i = 0; i < words.length; i += 2) fork.insertOne(PUBLIC_DATA_TREE, { key: words[i], value: words[i + 1] });
}

function u256(value: number): Uint8Array {
  return bigUintBytes(BigInt(value), 32);
}
