import type { Core } from "../core/core.ts";
import { headerBlockNumber } from "../protocol/block-header.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import { applyBlock, checkBlock } from "./apply-block.ts";
import { Fork, isEmptyLeaf } from "./fork.ts";
import { giveWay } from "./give-way.ts";
import { preimage } from "./indexed-overlay.ts";
import { BlockSealer, type SealedBlock } from "./sealed-block.ts";
import type { StateView } from "./state-view.ts";
import type { Snapshots, WorldStateTables } from "./tables.ts";
import { type NodeChange, type TileHasher, TreeBatch } from "./tree-batch.ts";
import type { BlockEffects } from "./types.ts";
import type { BlockChanges } from "./write-blocks.ts";

/** Changed nodes of leaves that are hashed together: while they are, the next blocks' leaves are worked out. */
const NODES_PER_ROUND = 2048;

/** Consecutive blocks on top of the stored tip: their leaves one block after the other, their nodes several blocks at once. */
export class BlockBatch {
  readonly #fork: Fork;
  readonly #sealer: BlockSealer;
  readonly #trees: TreeBatch[];
  readonly #done: BlockChanges["blocks"] = [];
  #snapshots: Snapshots;
  #round: { effects: BlockEffects; sealed: SealedBlock }[] = [];
  #nodes: NodeChange[][] = TREE_IDS.map(() => []);
  #hashing: Promise<void> = Promise.resolve();

  /** `base` is the state of the stored tip. */
  constructor(core: Core, tables: WorldStateTables, base: StateView, hasher: TileHasher | undefined) {
    this.#fork = new Fork(core, base);
    this.#sealer = new BlockSealer(this.#fork);
    this.#trees = TREE_IDS.map((tree) => new TreeBatch(core, tree, tables, hasher));
    this.#snapshots = TREE_IDS.map((tree) => ({ root: base.root(tree), size: base.size(tree) }));
  }

  /**
   * Applies blocks and checks each of their roots. Throws WorldStateError and StateMismatchError, or what hashing failed with; no
   * hashing goes on then.
   */
  async apply(blocks: BlockEffects[]): Promise<BlockChanges> {
    try {
      for (const block of blocks) {
        this.#addLeaves(block);
        if (this.#nodes.reduce((sum, { length }) => sum + length, 0) >= NODES_PER_ROUND) await this.#startRound();
        await giveWay();
      }
      await this.#startRound();
    } finally {
      await this.#hashing;
    }
    return { blocks: this.#done, tiles: this.#trees.flatMap((tree) => tree.changes()) };
  }

  #addLeaves(effects: BlockEffects): void {
    applyBlock(this.#fork, effects);
    const sealed = this.#sealer.seal(headerBlockNumber(effects.header));
    const { block, leaves, appended } = sealed;
    for (const { tree, position, value } of appended) this.#nodes[tree].push({ index: position, block, words: value });
    for (const tree of [NULLIFIER_TREE, PUBLIC_DATA_TREE] as const) {
      for (const leaf of leaves[tree]) {
        // A leaf that an update leaves empty has node 0 (sheet 01 section 7.3).
        const words = isEmptyLeaf(leaf) ? FR_ZERO : preimage(leaf);
        this.#nodes[tree].push({ index: leaf.index, block, words });
      }
    }
    this.#round.push({ effects, sealed });
  }

  /** Waits for the round before and starts to hash what has been added since. */
  async #startRound(): Promise<void> {
    await this.#hashing;
    const [round, nodes] = [this.#round, this.#nodes];
    this.#round = [];
    this.#nodes = TREE_IDS.map(() => []);
    this.#hashing = this.#hash(round, nodes);
    // Whoever waits for it sees its failure; until then it is no unhandled one.
    this.#hashing.catch(() => undefined);
  }

  async #hash(round: { effects: BlockEffects; sealed: SealedBlock }[], nodes: NodeChange[][]): Promise<void> {
    const hashed = await Promise.allSettled(TREE_IDS.map((tree) => this.#trees[tree].apply(nodes[tree])));
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
