import type { BlockHeader } from "../protocol/block-header.ts";
import type { TreeId } from "../protocol/constants.ts";
import type { TxEffect } from "../protocol/tx-effect.ts";
import type { IndexedLeaf } from "./tables/leaf-row.ts";
import type { TreeSnapshot } from "./tables/state-row.ts";
import type { WorldStateStatus } from "./tables/status-row.ts";

/** The five trees after one block. Valid for a run of reads without an await: a later commit may prune the state. */
export interface StateAt {
  readonly block: number;
  snapshot(tree: TreeId): TreeSnapshot;
  /** Position of a value in an append-only tree, or of a key in an indexed one. */
  findLeaf(tree: TreeId, value: Uint8Array): number | undefined;
  /** Value at a position of an append-only tree; zero beyond its size. */
  leafAt(tree: TreeId, position: number): Uint8Array;
  /** height x 32 bytes, leaf side first; written to the start of `out` if given. */
  siblingPath(tree: TreeId, position: number, out?: Uint8Array): Uint8Array;
  /** The leaf with exactly this key. */
  leaf(tree: 0 | 2, key: Uint8Array): IndexedLeaf | undefined;
  /** The leaf of `key`, or the one with the largest smaller key. */
  lowLeaf(tree: 0 | 2, key: Uint8Array): { leaf: IndexedLeaf; present: boolean };
  /**
   * A text about the leaf that lowLeaf returns and its siblingPath, made in fewer steps. Undefined if the leaf is not
   * as `wanted`, or if this state cannot make texts. Valid until the next read.
   */
  lowLeafText?(tree: 0 | 2, key: Uint8Array, wanted: WantedLeaf, text: LeafText): Uint8Array | undefined;
}

/**
 * A text about a leaf of an indexed tree and its path. Strings (ASCII) are copied; a part becomes the hex digits of a
 * word, the decimal digits of a position, or the base64 form of the path's height (u32) and words.
 */
export type LeafText = readonly (string | LeafPart)[];

export interface LeafPart {
  readonly of: "key" | "value" | "nextKey" | "index" | "nextIndex" | "path";
}

/** A leaf with exactly the key, one with a smaller key, or either. */
export type WantedLeaf = "present" | "absent" | "either";

/**
 * Reads of the five trees as of a kept block. Synchronous: each call, and any run of calls without an await between
 * them, sees one consistent snapshot. `block` is 0 (genesis) or oldest .. tip; other numbers throw UnknownStateError.
 */
export interface WorldStateReader {
  status(): WorldStateStatus;
  /** One state, for several reads; `latest` is the tip. */
  at(block: number | "latest"): StateAt;
  /** Like `at(block).lowLeafText`, with fewer reads. */
  lowLeafText(
    block: number | "latest",
    tree: 0 | 2,
    key: Uint8Array,
    wanted: WantedLeaf,
    text: LeafText,
  ): Uint8Array | undefined;
  snapshot(block: number, tree: TreeId): TreeSnapshot;
  findLeaf(block: number, tree: TreeId, value: Uint8Array): number | undefined;
  /** First block after which the tree was larger than `position`; genesis leaves count for block 1. */
  blockOfLeaf(tree: TreeId, position: number): number | undefined;
  leafAt(block: number, tree: TreeId, position: number): Uint8Array;
  siblingPath(block: number, tree: TreeId, position: number): Uint8Array;
  lowLeaf(block: number, tree: 0 | 2, key: Uint8Array): { leaf: IndexedLeaf; present: boolean };
  /** Header of genesis, from the state of block 0. */
  genesisHeader(): BlockHeader;
}

/** Effects of one block on the trees (docs/protocol/02-trees.md#211-effects-of-a-block). */
export interface BlockEffects {
  header: BlockHeader;
  blockHash: Uint8Array;
  /** Archive root after the block, as stated by L1 or the next block. */
  archiveRoot: Uint8Array;
  txs: TxEffect[];
  /** The checkpoint's messages for its first block, undefined for later blocks. */
  l1ToL2Messages: Uint8Array[] | undefined;
}

/** Tree changes of consecutive blocks, computed and checked but not written. Opaque. */
export interface PreparedBlocks {
  readonly first: number;
  readonly last: number;
}

/** Blocks that are being prepared. */
export interface BlocksInHashing {
  readonly first: number;
  readonly last: number;
  /**
   * Resolves once other threads hash the first nodes, or there is nothing to hash: then work that blocks this thread
   * does not keep them waiting. Never rejects.
   */
  readonly underWay: Promise<void>;
  /** Rejects with WorldStateError, StateMismatchError or an error of the hasher. Ignoring it is safe. */
  readonly hashed: Promise<PreparedBlocks>;
}

/**
 * Writes of the world state. `prepare` and `begin` compute outside any transaction; the other operations run inside the
 * caller's Store.transaction, so that the archiver's rows commit with them.
 */
export interface WorldStateWriter extends WorldStateReader {
  /** Applies blocks on top of the tip in memory and checks every root and size. Throws StateMismatchError. */
  prepare(blocks: BlockEffects[]): Promise<PreparedBlocks>;
  /**
   * Like prepare, but returns at once. `after` are the blocks that were begun last: the new ones are applied on top of
   * them and must be written after them. Throws a WorldStateError for blocks that do not follow.
   */
  begin(blocks: BlockEffects[], after?: BlocksInHashing): BlocksInHashing;
  write(prepared: PreparedBlocks): void;
  /** Restores the state after `block`, which may be 0. */
  unwindTo(block: number): void;
  setFinalized(block: number): void;
  /**
   * Moves the finalized block back to a kept one, so that unwinding is possible. Only an operator may decide this,
   * never L1.
   */
  lowerFinalized(block: number): void;
  /**
   * Drops states older than `block`; the current state and state 0 stay. Of a long history only the oldest part is
   * dropped, so that a transaction stays small: `status().oldest` tells how far, and another call goes on.
   */
  pruneTo(block: number): void;
  /** Removes every block except genesis. */
  reset(): void;
}
