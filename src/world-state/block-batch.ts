import type { Core } from "../core/core.ts";
import { yieldEventLoop } from "../events/yield-event-loop.ts";
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
import { FR_ZERO } from "../protocol/field.ts";
import { items } from "../protocol/tx-effect.ts";
import { StateMismatchError } from "./errors.ts";
import { Fork, isEmptyLeaf } from "./fork.ts";
import { preimageBytes, writePreimage } from "./indexed-overlay.ts";
import { BlockSealer, type SealedBlock } from "./sealed-block.ts";
import { StoredState } from "./stored-state.ts";
import type { Snapshots, TreeSnapshot } from "./tables/state-row.ts";
import { MovableState } from "./tables/state-view.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import type { TreeNodes } from "./tables/tree-nodes.ts";
import { type LevelNode, levelNode } from "./tile-nodes.ts";
import { type TileHasher, TreeBatch } from "./tree-batch.ts";
import type { BlockEffects } from "./types.ts";
import type { BlockChanges } from "./write-blocks.ts";

/**
 * Leaf nodes per round of hashing. While other threads hash a round, this thread computes the leaves of the next blocks
 * or writes earlier blocks. The first rounds are small, so that the other threads start early.
 */
const NODES_PER_ROUND = { first: 2048, max: 32_768 };

/** Blocks whose leaves are being computed and whose nodes are being hashed. */
interface BlocksInHashing {
  /**
   * Resolves once other threads hash the first nodes, or there is nothing to hash: then work that blocks this thread
   * does not keep them waiting. Never rejects.
   */
  underWay: Promise<void>;
  /** Rejects with WorldStateError, StateMismatchError or an error of the hasher; all hashing has then ended. */
  hashed: Promise<BlockChanges>;
}

/**
 * Consecutive blocks on top of the stored tip. Leaves are computed block by block; nodes are hashed for several blocks
 * at once. More blocks can be added at any time. After a failure the batch must be discarded.
 */
export class BlockBatch {
  readonly #tables: WorldStateTables;
  readonly #tip: () => number;
  readonly #base: MovableState;
  readonly #fork: Fork;
  readonly #sealer: BlockSealer;
  readonly #trees: TreeBatch[];
  #done: BlockChanges["blocks"] = [];
  #snapshots: Snapshots;
  #round: { effects: BlockEffects; sealed: SealedBlock }[] = [];
  #nodes: LevelNode[][] = TREE_IDS.map(() => []);
  #nodesPerRound = NODES_PER_ROUND.first;
  /** Resolves when the leaves of all blocks so far are computed and their nodes handed over. */
  #gathered: Promise<unknown> = Promise.resolve();
  #hashing: Promise<void> = Promise.resolve();
  #last: number;

  /** `tip` returns the number of the stored tip, which may advance to any hashed block. */
  constructor(
    core: Core,
    nodes: TreeNodes,
    tables: WorldStateTables,
    tip: () => number,
    hasher: TileHasher | undefined,
  ) {
    this.#tables = tables;
    this.#tip = tip;
    this.#last = tip();
    this.#base = new MovableState(new StoredState(tables, this.#last));
    this.#fork = new Fork(core, nodes, this.#base);
    this.#sealer = new BlockSealer(this.#fork);
    this.#trees = TREE_IDS.map((tree) => new TreeBatch(core, tree, nodes[tree].separator, tables, hasher));
    this.#snapshots = TREE_IDS.map((tree) => ({ root: this.#base.root(tree), size: this.#base.size(tree) }));
  }

  /** The last block; further blocks build on it. */
  get last(): number {
    return this.#last;
  }

  /** The block whose stored state is the base of reads. */
  get base(): number {
    return this.#base.block;
  }

  /** Applies blocks (at least one) and checks all their roots. */
  begin(blocks: BlockEffects[]): BlocksInHashing {
    this.#last += blocks.length;
    const underWay = Promise.withResolvers<void>();
    const gathered = this.#gathered.then(() => this.#gather(blocks, underWay.resolve));
    this.#gathered = gathered;
    const hashed = gathered
      .then(({ changes }) => changes)
      .catch(async (error) => {
        await this.#hashing.catch(() => undefined);
        throw error;
      });
    hashed.catch(() => undefined).finally(underWay.resolve);
    return { underWay: underWay.promise, hashed };
  }

  async #gather(blocks: BlockEffects[], underWay: () => void): Promise<{ changes: Promise<BlockChanges> }> {
    for (const block of blocks) {
      this.#moveBase();
      this.#addLeaves(block);
      if (this.#nodes.reduce((sum, { length }) => sum + length, 0) >= this.#nodesPerRound) {
        await this.#startRound();
        underWay();
        this.#nodesPerRound = Math.min(2 * this.#nodesPerRound, NODES_PER_ROUND.max);
      }
      await yieldEventLoop();
    }
    await this.#startRound();
    const changes = this.#hashing.then(() => this.#take());
    // Later blocks may change tiles only after the changes of these are taken.
    this.#hashing = changes.then(() => undefined);
    this.#hashing.catch(() => undefined);
    return { changes };
  }

  /** Moves the base to the stored tip: reading an earlier state could fail, because its history may be pruned. */
  #moveBase(): void {
    const tip = this.#tip();
    if (tip === this.#base.block) return;
    this.#base.moveTo(new StoredState(this.#tables, tip));
    for (const tree of this.#trees) tree.forgetUpTo(tip);
  }

  #take(): BlockChanges {
    const blocks = this.#done;
    this.#done = [];
    const last = blocks[blocks.length - 1].block;
    return { blocks, tiles: this.#trees.flatMap((tree) => tree.takeChanges(last)) };
  }

  #addLeaves(effects: BlockEffects): void {
    applyBlock(this.#fork, effects);
    const sealed = this.#sealer.seal(headerBlockNumber(effects.header));
    const { block, leaves, appended } = sealed;
    for (const { tree, position, value } of appended) {
      this.#nodes[tree].push(levelNode(position, block, { source: value }));
    }
    for (const tree of [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const) {
      const width = preimageBytes(tree);
      // One buffer for all: the garbage collector's cost is per buffer.
      const preimages = new Uint8Array(leaves[tree].length * width);
      let at = 0;
      for (const leaf of leaves[tree]) {
        writePreimage(leaf, preimages, at);
        // A leaf that an update empties has node 0 (docs/protocol/02-trees.md#27-inserting-one-leaf).
        const node = isEmptyLeaf(leaf) ? { source: FR_ZERO } : { source: preimages, at, isPreimage: true };
        this.#nodes[tree].push(levelNode(leaf.index, block, node));
        at += width;
      }
    }
    this.#round.push({ effects, sealed });
  }

  /** Waits for the previous round and starts hashing what has been added since. */
  async #startRound(): Promise<void> {
    if (this.#round.length === 0) return;
    await this.#hashing;
    const [round, nodes] = [this.#round, this.#nodes];
    this.#round = [];
    this.#nodes = TREE_IDS.map(() => []);
    const begun = Promise.allSettled(TREE_IDS.map((tree) => this.#trees[tree].begin(nodes[tree])));
    this.#hashing = this.#hash(round, begun);
    // Awaited later; this keeps an early rejection from being unhandled.
    this.#hashing.catch(() => undefined);
    await begun;
  }

  async #hash(
    round: { effects: BlockEffects; sealed: SealedBlock }[],
    begun: Promise<PromiseSettledResult<{ roots: Promise<Map<number, Uint8Array>> }>[]>,
  ): Promise<void> {
    const hashed = await Promise.allSettled(
      (await begun).map((tree) => (tree.status === "rejected" ? Promise.reject(tree.reason) : tree.value.roots)),
    );
    const roots = hashed.map((result) => {
      if (result.status === "rejected") throw result.reason;
      return result.value;
    });
    for (const { effects, sealed } of round) {
      const before = this.#snapshots;
      const snapshots = TREE_IDS.map((tree: TreeId) => ({
        root: roots[tree].get(sealed.block) ?? before[tree].root,
        size: sealed.sizes[tree],
      }));
      checkBlock(effects, before, snapshots);
      this.#snapshots = snapshots;
      this.#done.push({ ...sealed, snapshots });
    }
  }
}

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
function checkBlock({ header, archiveRoot }: BlockEffects, before: Snapshots, after: Snapshots): void {
  const number = headerBlockNumber(header);
  check(number, ARCHIVE, headerSnapshot(header, ARCHIVE), before[ARCHIVE]);
  for (const tree of TREE_IDS) {
    if (tree !== ARCHIVE) check(number, tree, headerSnapshot(header, tree), after[tree]);
  }
  check(number, ARCHIVE, { root: archiveRoot, size: number + 1 }, after[ARCHIVE]);
}
