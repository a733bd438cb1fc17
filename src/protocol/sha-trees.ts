import { concat, isZero } from "./bytes.ts";
import { L1_TO_L2_MESSAGES_PER_CHECKPOINT, MAX_CHECKPOINTS_PER_EPOCH } from "./constants.ts";
import { DecodeError } from "./errors.ts";
import { shaField } from "./sha-field.ts";

/**
 * Trees of 32-byte leaves with the truncated SHA-256 pair hash
 * (docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header, docs/protocol/03-blocks-and-blobs.md#38-out-hashes).
 */

export type PairHash = (left: Uint8Array, right: Uint8Array) => Uint8Array;

export const shaPair: PairHash = (left, right) => shaField(left, right);

const ZERO = new Uint8Array(32);

/** Roots of balanced trees of zeros by their height, as far as they were needed. */
const ZERO_ROOTS: Uint8Array[] = [ZERO];

function zeroRoot(height: number): Uint8Array {
  for (let h = ZERO_ROOTS.length; h <= height; h++) ZERO_ROOTS.push(shaPair(ZERO_ROOTS[h - 1], ZERO_ROOTS[h - 1]));
  return ZERO_ROOTS[height];
}

/** Root of the balanced tree over `leaves` padded with zeros to `size` (a power of two). */
export function balancedShaRoot(leaves: Uint8Array[], size: number): Uint8Array {
  let row = leaves;
  let height = 0;
  for (let width = size; width > 1; width /= 2, height++) {
    const next: Uint8Array[] = [];
    for (let i = 0; i < row.length; i += 2) next.push(shaPair(row[i], row[i + 1] ?? zeroRoot(height)));
    row = next;
  }
  return row[0] ?? zeroRoot(height).slice();
}

/** Location of a leaf: its depth below the root, its index read from the root, and its siblings from the leaf up. */
export interface LeafLocation {
  level: number;
  index: number;
  siblings: Uint8Array[];
}

interface Node {
  hash: Uint8Array;
  /** Leaf positions of the input below this node, with their siblings inside this node. */
  leaves: { position: number; level: number; index: number; siblings: Uint8Array[] }[];
}

function join(left: Node, right: Node, pair: PairHash): Node {
  const lift = (node: Node, side: number, sibling: Uint8Array) =>
    node.leaves.map((leaf) => ({
      position: leaf.position,
      level: leaf.level + 1,
      index: leaf.index + side * 2 ** leaf.level,
      siblings: [...leaf.siblings, sibling],
    }));
  return {
    hash: pair(left.hash, right.hash),
    leaves: [...lift(left, 0, right.hash), ...lift(right, 1, left.hash)],
  };
}

function build(leaves: Uint8Array[], from: number, count: number, compress: boolean, pair: PairHash): Node | undefined {
  if (count === 1) {
    const hash = leaves[from];
    if (compress && isZero(hash)) return undefined;
    return { hash, leaves: [{ position: from, level: 0, index: 0, siblings: [] }] };
  }
  // Largest power of two below the number of leaves. A power of two splits in half.
  let half = 1;
  while (half * 2 < count) half *= 2;
  const left = build(leaves, from, half, compress, pair);
  const right = build(leaves, from + half, count - half, compress, pair);
  if (left === undefined || right === undefined) return left ?? right;
  return join(left, right, pair);
}

interface UnbalancedTree {
  root: Uint8Array;
  /** By leaf position; undefined for a zero leaf that compression removed. */
  locations: (LeafLocation | undefined)[];
}

/**
 * Unbalanced tree: the left child of the root is a balanced tree, over as many leaves as the largest power of two below
 * their number. With `compress`, zero leaves are removed and their sibling subtree moves up. Without leaves the root is
 * zero.
 */
export function unbalancedTree(
  leaves: Uint8Array[],
  { compress = false, pair = shaPair }: { compress?: boolean; pair?: PairHash } = {},
): UnbalancedTree {
  const locations: (LeafLocation | undefined)[] = leaves.map(() => undefined);
  const node = leaves.length === 0 ? undefined : build(leaves, 0, leaves.length, compress, pair);
  for (const { position, level, index, siblings } of node?.leaves ?? [])
    locations[position] = { level, index, siblings };
  return { root: node?.hash ?? ZERO, locations };
}

/** Root of an unbalanced tree without the leaf locations. */
export function unbalancedRoot(leaves: Uint8Array[], compress: boolean, pair: PairHash = shaPair): Uint8Array {
  if (leaves.length === 0) return ZERO;
  const fold = (from: number, count: number): Uint8Array => {
    if (count === 1) return leaves[from];
    let half = 1;
    while (half * 2 < count) half *= 2;
    const left = fold(from, half);
    const right = fold(from + half, count - half);
    if (compress && isZero(left)) return right;
    if (compress && isZero(right)) return left;
    return pair(left, right);
  };
  return fold(0, leaves.length);
}

/**
 * In-hash of a checkpoint: balanced tree of its L1-to-L2 messages padded to 1024
 * (docs/protocol/03-blocks-and-blobs.md#37-in-hash).
 */
export function inHash(messages: Uint8Array[]): Uint8Array {
  if (messages.length > L1_TO_L2_MESSAGES_PER_CHECKPOINT) {
    throw new DecodeError("in-hash", `a checkpoint takes at most 1024 messages, got ${messages.length}`);
  }
  return balancedShaRoot(messages, L1_TO_L2_MESSAGES_PER_CHECKPOINT);
}

/**
 * Checkpoint out hash from its L2-to-L1 messages by block and tx (docs/protocol/03-blocks-and-blobs.md#38-out-hashes).
 */
export function checkpointOutHash(blocks: Uint8Array[][][]): Uint8Array {
  return unbalancedRoot(
    blocks.map((txs) =>
      unbalancedRoot(
        txs.map((messages) => unbalancedRoot(messages, false)),
        true,
      ),
    ),
    true,
  );
}

/** Out hash of an epoch up to and including its last given checkpoint. */
export function epochOutHash(checkpointOutHashes: Uint8Array[]): Uint8Array {
  if (checkpointOutHashes.length > MAX_CHECKPOINTS_PER_EPOCH) {
    throw new DecodeError("epoch out hash", `an epoch takes at most 32 checkpoints, got ${checkpointOutHashes.length}`);
  }
  return balancedShaRoot(checkpointOutHashes, MAX_CHECKPOINTS_PER_EPOCH);
}

/** The `blobsHash` of a checkpoint header, from the versioned blob hashes. */
export function blobsHash(versionedHashes: Uint8Array[]): Uint8Array {
  return shaField(concat(...versionedHashes));
}
