import type { Core } from "../core/core.ts";
import { blockHash } from "../core/derive/block-hash.ts";
import { type BlockHeader, genesisHeader } from "../protocol/block-header.ts";
import { bigUintBytes } from "../protocol/bytes.ts";
import {
  ARCHIVE,
  INITIAL_INDEXED_LEAVES,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  TREE_HEIGHTS,
  TREE_IDS,
} from "../protocol/constants.ts";
import { FR_ZERO, fr } from "../protocol/field.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { WorldStateError } from "./errors.ts";
import { Fork } from "./fork.ts";
import { BlockSealer } from "./sealed-block.ts";
import type { GenesisContent, PrefilledEntry } from "./tables/genesis-row.ts";
import type { StoredLeaf } from "./tables/leaf-row.ts";
import { emptyState, type IndexedTree } from "./tables/state-view.ts";
import { tileOfId } from "./tables/tile-address.ts";
import { treeNodes } from "./tables/tree-nodes.ts";
import { versionedBytes } from "./tables/versioned.ts";
import type { BlockChanges } from "./write-blocks.ts";

/** Genesis of a generation's chain, with prefilled public data alone as public networks have it. */
export function genesisContent(
  { hashing }: Pick<Generation, "hashing">,
  publicData: readonly PrefilledEntry[],
): GenesisContent {
  return { treeNodes: hashing.treeNodes, publicData, nullifiers: [], timestamp: 0n };
}

/** Checks the rules of docs/protocol/02-trees.md#212-genesis-trees for the keys that replace the last of a tree's. */
function checkPrefilled(keys: readonly Uint8Array[]): void {
  if (keys.length > INITIAL_INDEXED_LEAVES) {
    throw new WorldStateError("Number of prefilled values can't be more than initial size");
  }
  const lastDefault = bigUintBytes(
    BigInt(INITIAL_INDEXED_LEAVES - 1 - Math.min(keys.length, INITIAL_INDEXED_LEAVES - 1)),
    32,
  );
  for (const [i, key] of keys.entries()) {
    if (i > 0 && Buffer.compare(keys[i - 1], key) >= 0) {
      throw new WorldStateError("Prefilled values must be unique and sorted");
    }
    if (keys.length < INITIAL_INDEXED_LEAVES && Buffer.compare(key, lastDefault) <= 0) {
      throw new WorldStateError("Prefilled values must not be the same as the default values");
    }
  }
}

function linked(leaves: { key: Uint8Array; value?: Uint8Array }[], endKey: Uint8Array): StoredLeaf[] {
  return leaves.map(({ key, value }, index) => {
    const last = index + 1 === leaves.length;
    return {
      index,
      key,
      value,
      nextKey: last ? endKey : leaves[index + 1].key,
      nextIndex: last ? 0 : index + 1,
      lowBefore: 0,
      nextBefore: 0,
      since: 0,
    };
  });
}

/** The trees of block 0 as a fork of the empty state, with header and hash. */
export interface GenesisState {
  fork: Fork;
  header: BlockHeader;
  hash: Uint8Array;
}

/** Genesis with prefilled leaves (docs/protocol/02-trees.md#212-genesis-trees). */
export function genesisState(core: Core, content: GenesisContent): GenesisState {
  const { publicData, nullifiers, timestamp } = content;
  checkPrefilled(publicData.map(({ slot }) => slot));
  checkPrefilled(nullifiers);
  const nodes = treeNodes(core, content.treeNodes);
  const fork = new Fork(core, nodes, emptyState(nodes, TREE_HEIGHTS));
  const defaults = (prefilled: readonly unknown[]) =>
    Array.from({ length: INITIAL_INDEXED_LEAVES - prefilled.length }, (_, i) => fr(i));
  const keys = [...defaults(nullifiers), ...nullifiers].map((key) => ({ key }));
  const slots = [
    ...defaults(publicData).map((key) => ({ key, value: FR_ZERO })),
    ...publicData.map(({ slot, value }) => ({ key: slot, value })),
  ];
  const plant = (tree: IndexedTree, leaves: StoredLeaf[]) => fork.plantGenesis(tree, leaves);
  plant(NULLIFIER_TREE, linked(keys, FR_ZERO));
  plant(PUBLIC_DATA_TREE, linked(slots, slots[0].key));
  const trees = [L1_TO_L2_MESSAGE_TREE, NOTE_HASH_TREE, NULLIFIER_TREE, PUBLIC_DATA_TREE] as const;
  const header = genesisHeader(
    trees.map((tree) => ({ tree, ...fork.snapshot(tree) })),
    timestamp,
  );
  const hash = blockHash(core, header);
  fork.append(ARCHIVE, [hash]);
  return { fork, header, hash };
}

/** The rows of block 0, from a fork of genesis whose changes were not taken yet. */
export function genesisChanges(fork: Fork): BlockChanges {
  const tiles = TREE_IDS.flatMap((tree) =>
    fork.takeTiles(tree).map(({ id, record }) => {
      const rows = versionedBytes({ since: 0, bytes: record });
      return { tree, ...tileOfId(id), row: { rows, start: 0, end: rows.length }, history: [], blocks: [0] };
    }),
  );
  const snapshots = TREE_IDS.map((tree) => fork.snapshot(tree));
  return { blocks: [{ ...new BlockSealer(fork).seal(0), snapshots }], tiles };
}
