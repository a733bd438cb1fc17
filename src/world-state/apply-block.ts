import { headerBlockNumber, headerSnapshot } from "../protocol/block-header.ts";
import { equal } from "../protocol/bytes.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  L1_TO_L2_MESSAGES_PER_CHECKPOINT,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  TREE_IDS,
  type TreeId,
} from "../protocol/constants.ts";
import { items } from "../protocol/tx-effect.ts";
import { StateMismatchError } from "./errors.ts";
import type { Fork } from "./fork.ts";
import type { Snapshots, TreeSnapshot } from "./tables/state-row.ts";
import type { BlockEffects } from "./types.ts";

function check(block: number, tree: TreeId, expected: TreeSnapshot, got: TreeSnapshot): void {
  // A header stores sizes in 32 bits, whatever the tree's height.
  if (!equal(expected.root, got.root) || expected.size !== got.size % 2 ** 32) {
    throw new StateMismatchError(block, tree, expected, got);
  }
}

/**
 * Applies the effects of one block to the leaves of a fork of the state before it
 * (docs/protocol/02-trees.md#211-effects-of-a-block). Does not check roots; checkBlock does. Throws WorldStateError;
 * then the fork must be discarded.
 */
export function applyBlock(fork: Fork, { blockHash, txs, l1ToL2Messages }: BlockEffects): void {
  if (l1ToL2Messages !== undefined) {
    fork.append(L1_TO_L2_MESSAGE_TREE, l1ToL2Messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
  }
  const firstNullifier = fork.size(NULLIFIER_TREE);
  const nullifiers: Uint8Array[] = [];
  const positions: number[] = [];
  for (const [i, tx] of txs.entries()) {
    fork.append(NOTE_HASH_TREE, items(tx.noteHashes), MAX_NOTE_HASHES_PER_TX);
    for (const [k, nullifier] of items(tx.nullifiers).entries()) {
      nullifiers.push(nullifier);
      positions.push(firstNullifier + i * MAX_NULLIFIERS_PER_TX + k);
    }
  }
  fork.insertNullifiers(nullifiers, positions);
  fork.skip(NULLIFIER_TREE, txs.length * MAX_NULLIFIERS_PER_TX);
  for (const { publicDataWrites } of txs) {
    for (let at = 0; at < publicDataWrites.length; at += 64) {
      fork.insertOne(PUBLIC_DATA_TREE, {
        key: publicDataWrites.subarray(at, at + 32),
        value: publicDataWrites.subarray(at + 32, at + 64),
      });
    }
  }
  fork.append(ARCHIVE, [blockHash]);
}

/**
 * Compares every root and size after the block with the block's header. The header has the archive before the block;
 * the archive after it is compared with `archiveRoot` (docs/protocol/02-trees.md#211-effects-of-a-block). Throws
 * StateMismatchError.
 */
export function checkBlock({ header, archiveRoot }: BlockEffects, before: Snapshots, after: Snapshots): void {
  const number = headerBlockNumber(header);
  check(number, ARCHIVE, headerSnapshot(header, ARCHIVE), before[ARCHIVE]);
  for (const tree of TREE_IDS) {
    if (tree !== ARCHIVE) check(number, tree, headerSnapshot(header, tree), after[tree]);
  }
  check(number, ARCHIVE, { root: archiveRoot, size: number + 1 }, after[ARCHIVE]);
}
