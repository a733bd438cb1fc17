import type { Core } from "../../core/core.ts";
import { concat, word } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";
import { hashAfter, type Separator } from "../../protocol/generations/hashing.ts";
import type { PairHash } from "../../protocol/sha-trees.ts";
import type { CircuitContext } from "./circuit-context.ts";
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

/** Poseidon2 of two nodes, after the separator of their tree. */
export function poseidonPair(core: Core, nodes: Separator): PairHash {
  return (left, right) => hashAfter(core, nodes, concat(left, right));
}

/** The inner nodes of a tree of the state. */
export function pairOfTree({ core, generation }: CircuitContext, tree: TreeId): PairHash {
  return poseidonPair(core, generation.hashing.treeNodes[tree]);
}

/** Root of a full tree over a power of two of leaves (n x 32 bytes), which is part of a tree of the state. */
export function poseidonRoot({ core, generation }: CircuitContext, tree: TreeId, leaves: Uint8Array): Uint8Array {
  const separator = generation.hashing.treeNodes[tree];
  let row = leaves;
  while (row.length > 32) {
    const pairs = Array.from({ length: row.length / 64 }, (_, i) => ({
      ...(separator === undefined ? {} : { separator }),
      fields: row.subarray(i * 64, (i + 1) * 64),
    }));
    row = concat(...core.hashEach(pairs));
  }
  return row;
}

/** The tree after a full subtree of 2^`height` leaves was appended at its end. */
export function appendSubtree(
  pair: PairHash,
  before: Snapshot,
  subtree: { root: Uint8Array; height: number; siblingPath: Uint8Array },
): Snapshot {
  const index = BigInt(before.nextAvailableLeafIndex) >> BigInt(subtree.height);
  return {
    root: rootFromPath(pair, subtree.root, subtree.siblingPath, index),
    nextAvailableLeafIndex: before.nextAvailableLeafIndex + 2 ** subtree.height,
  };
}
