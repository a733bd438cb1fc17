import { ContentError } from "../errors/content-error.ts";
import { toHex } from "../protocol/bytes.ts";
import { TREE_NAMES, type TreeId } from "../protocol/constants.ts";

/** The state of a block is not available: pruned, or beyond the tip. */
export class UnknownStateError extends Error {
  readonly block: number;
  constructor(block: number) {
    super(`Unable to get meta data for block ${block}, failed to get block data.`);
    this.name = "UnknownStateError";
    this.block = block;
  }
}

/**
 * Applying a block gave another root or size than its header says, or, for the archive, than L1 says. Nothing was
 * written.
 */
export class StateMismatchError extends ContentError {
  override readonly errorCode: string = "state-mismatch";

  readonly block: number;
  readonly tree: TreeId;
  /** Root and size that the header or L1 says, and those that the block gave, as text. */
  readonly expected: string;
  readonly got: string;
  constructor(
    block: number,
    tree: TreeId,
    expected: { root: Uint8Array; size: number },
    got: { root: Uint8Array; size: number },
  ) {
    const [stated, found] = [expected, got].map(({ root, size }) => `root ${toHex(root)} size ${size}`);
    super(
      `Can't synch block: block state does not match world state (block ${block}, tree ${TREE_NAMES[tree]}: ` +
        `expected ${stated}, got ${found})`,
    );
    this.name = "StateMismatchError";
    this.expected = stated;
    this.got = found;
    this.block = block;
    this.tree = tree;
  }
}

/**
 * The rules of the trees forbid the operation. The message is the network's text
 * (docs/protocol/02-trees.md#219-unwinding-finality-and-pruning and docs/protocol/02-trees.md#218-forks-and-frames).
 */
export class WorldStateError extends ContentError {
  override readonly errorCode: string = "tree-rule";

  constructor(message: string) {
    super(message);
    this.name = "WorldStateError";
  }
}

const INDEXED_TREE_NAME = { 0: "NullifierTree", 2: "PublicDataTree" } as const;

export function keyPresentError(key: Uint8Array): WorldStateError {
  return new WorldStateError(
    "Unable to insert values into tree NullifierTree leaf type NullifierLeafValue is not updateable and " +
      `${toHex(key)} is already present`,
  );
}

export function duplicateKeyError(tree: 0 | 2, key: Uint8Array): WorldStateError {
  return new WorldStateError(
    `Duplicate key not allowed in same batch, key value: ${toHex(key)}, tree: ${INDEXED_TREE_NAME[tree]}`,
  );
}
