import type { Core } from "../../core/core.ts";
import { concat, word } from "../../protocol/bytes.ts";
import type { PairHash } from "../../protocol/sha-trees.ts";
import type { Snapshot } from "./layouts/values.ts";

/**
 * Root of the tree in which `node` has the given siblings (n x 32 bytes, from the node up). Bit i of `index` says on
 * which side of level i the node is.
 */
export function rootFromPath(pair: PairHash, node: Uint8Array, siblings: Uint8Array, index: bigint): Uint8Array {
  let root = node;
  for (let level = 0; level < siblings.length / 32; level++) {
    const sibling = word(siblings, level);
    root = (index >> BigInt(level)) & 1n ? pair(sibling, root) : pair(root, sibling);
  }
  return root;
}

/** Poseidon2 of two nodes. */
export function poseidonPair(core: Core): PairHash {
  return (left, right) => core.hash(concat(left, right));
}

/** Root of a full tree over a power of two of leaves (n x 32 bytes). */
export function poseidonRoot(core: Core, leaves: Uint8Array): Uint8Array {
  let row = leaves;
  while (row.length > 32) row = core.hashMany(row, 2);
  return row;
}

/** The tree after a full subtree of 2^`height` leaves was appended at its end. */
export function appendSubtree(
  core: Core,
  before: Snapshot,
  subtree: { root: Uint8Array; height: number; siblingPath: Uint8Array },
): Snapshot {
  const index = BigInt(before.nextAvailableLeafIndex) >> BigInt(subtree.height);
  return {
    root: rootFromPath(poseidonPair(core), subtree.root, subtree.siblingPath, index),
    nextAvailableLeafIndex: before.nextAvailableLeafIndex + 2 ** subtree.height,
  };
}
