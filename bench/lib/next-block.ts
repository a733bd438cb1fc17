import type { Core } from "../../src/core/core.ts";
import { blockHash } from "../../src/core/derive/block-hash.ts";
import { HEADER_AT, HEADER_SNAPSHOT_AT } from "../../src/protocol/block-header.ts";
import { concat, writeU32 } from "../../src/protocol/bytes.ts";
import {
  ARCHIVE,
  MAX_NOTE_HASHES_PER_TX,
  MAX_NULLIFIERS_PER_TX,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  TREE_IDS,
  type TreeId,
} from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { items, type TxEffect } from "../../src/protocol/tx-effect.ts";
import type { Fork } from "../../src/world-state/fork.ts";
import type { BlockEffects } from "../../src/world-state/types.ts";
import type { WorldState } from "../../src/world-state/world-state.ts";
import type { SeededBytes } from "./seeded-bytes.ts";

/** Contents of the txs of a made-up block; a tx may hold at most the protocol's limits. */
export interface TxShape {
  noteHashes: number;
  nullifiers: number;
  publicDataWrites: number;
}

/** A tx effect of random fields; only the parts that affect the trees are set. */
export function randomTx({ noteHashes, nullifiers, publicDataWrites }: TxShape, random: SeededBytes): TxEffect {
  const fields = (count: number) => concat(...Array.from({ length: count }, () => random.field()));
  const empty = new Uint8Array(0);
  return {
    words: empty,
    revertCode: 0,
    txHash: random.field(),
    transactionFee: fr(0),
    noteHashes: fields(noteHashes),
    nullifiers: fields(nullifiers),
    l2ToL1Msgs: empty,
    publicDataWrites: fields(2 * publicDataWrites),
    privateLogs: [],
    publicLogs: [],
    contractClassLogs: [],
  };
}

/**
 * A valid block on top of the tip. Its header is computed on a fork, which takes as much hashing as applying it, so
 * time WorldState.prepare alone.
 */
export function nextBlock(core: Core, world: WorldState, txs: TxEffect[]): BlockEffects {
  return nextBlocks(core, world, [txs])[0];
}

/** Consecutive blocks with the given txs, made as by nextBlock. */
export function nextBlocks(core: Core, world: WorldState, blocks: TxEffect[][]): BlockEffects[] {
  const fork = world.fork();
  const { tip } = world.status();
  return blocks.map((txs, i) => blockOn(core, fork, tip + 1 + i, txs));
}

function blockOn(core: Core, fork: Fork, number: number, txs: TxEffect[]): BlockEffects {
  const header = new Uint8Array(440);
  const state = (tree: TreeId) => {
    const { root, size } = fork.snapshot(tree);
    header.set(root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
  };
  state(ARCHIVE);
  applyTxs(fork, txs);
  for (const tree of TREE_IDS) if (tree !== ARCHIVE) state(tree);
  writeU32(header, HEADER_AT.blockNumber, number);
  const hash = blockHash(core, header);
  fork.append(ARCHIVE, [hash]);
  return { header, blockHash: hash, archiveRoot: fork.snapshot(ARCHIVE).root, txs, l1ToL2Messages: undefined };
}

/** Applies the effects of a block's txs to all trees but the archive and that of messages. */
export function applyTxs(fork: Fork, txs: readonly TxEffect[]): void {
  const first = fork.size(NULLIFIER_TREE);
  const nullifiers = txs.flatMap((tx, i) =>
    items(tx.nullifiers).map((key, k) => ({ key, position: first + i * MAX_NULLIFIERS_PER_TX + k })),
  );
  fork.insertNullifiers(
    nullifiers.map(({ key }) => key),
    nullifiers.map(({ position }) => position),
  );
  fork.skip(NULLIFIER_TREE, txs.length * MAX_NULLIFIERS_PER_TX);
  for (const { noteHashes, publicDataWrites } of txs) {
    fork.append(NOTE_HASH_TREE, items(noteHashes), MAX_NOTE_HASHES_PER_TX);
    for (let at = 0; at < publicDataWrites.length; at += 64) {
      const key = publicDataWrites.subarray(at, at + 32);
      fork.insertOne(PUBLIC_DATA_TREE, { key, value: publicDataWrites.subarray(at + 32, at + 64) });
    }
  }
}
