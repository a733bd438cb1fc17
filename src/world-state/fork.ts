import type { Core } from "../core/core.ts";
import { isZero } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import { AppendedLeaves, type AppendedValue } from "./appended-leaves.ts";
import { keyPresentError, WorldStateError } from "./errors.ts";
import { Frames } from "./frames.ts";
import { IndexedOverlay } from "./indexed-overlay.ts";
import type { StoredLeaf } from "./tables/leaf-row.ts";
import type { TreeSnapshot } from "./tables/state-row.ts";
import type { IndexedTree, StateView } from "./tables/state-view.ts";
import type { TreeNodes } from "./tables/tree-nodes.ts";
import { type ChangedTile, TreeOverlay } from "./tree-overlay.ts";

/** A leaf to insert into an indexed tree: a nullifier, or a slot with its value. */
export interface LeafToInsert {
  key: Uint8Array;
  value?: Uint8Array;
}

export function isEmptyLeaf({ key, value }: LeafToInsert): boolean {
  return isZero(key) && (value === undefined || isZero(value));
}

/** What a block changed in the leaves. */
interface ChangedLeaves {
  appended: AppendedValue[];
  indexed: Record<IndexedTree, StoredLeaf[]>;
}

/**
 * A writable copy of the trees as of one block. Its writes never reach the store; its reads include them. Nodes are
 * hashed when a root or path is read, so that a whole block costs one pass over each dirty node.
 */
export class Fork {
  readonly core: Core;
  readonly nodes: TreeNodes;
  readonly base: StateView;
  readonly #sizes: number[];
  /** Sizes before the block that is being built: those at the last takeLeaves. */
  #takenSizes: number[];
  readonly #overlays: TreeOverlay[];
  readonly #indexed: Record<IndexedTree, IndexedOverlay>;
  readonly #appended: AppendedLeaves;
  /** Leaves between relinkLow and addLinked, by position. */
  readonly #unlinked = new Map<number, StoredLeaf>();
  readonly #frames = new Frames();
  /** Set once the block that the fork stands on is unwound or pruned. */
  #gone = false;

  constructor(core: Core, nodes: TreeNodes, base: StateView) {
    this.core = core;
    this.nodes = nodes;
    this.base = base;
    this.#sizes = TREE_IDS.map((tree) => base.size(tree));
    this.#takenSizes = [...this.#sizes];
    this.#overlays = TREE_IDS.map((tree) => new TreeOverlay(nodes[tree], tree, base));
    this.#indexed = {
      0: new IndexedOverlay(core, NULLIFIER_TREE, base, this.#overlays[NULLIFIER_TREE]),
      2: new IndexedOverlay(core, PUBLIC_DATA_TREE, base, this.#overlays[PUBLIC_DATA_TREE]),
    };
    this.#appended = new AppendedLeaves(base);
  }

  /** Ends the fork: later calls fail with `Fork not found`. */
  invalidate(): void {
    this.#gone = true;
  }

  #requireAlive(): void {
    if (this.#gone) throw new WorldStateError("Fork not found");
  }

  size(tree: TreeId): number {
    this.#requireAlive();
    return this.#sizes[tree];
  }

  snapshot(tree: TreeId): TreeSnapshot {
    return { root: this.#nodesOf(tree).root, size: this.size(tree) };
  }

  siblingPath(tree: TreeId, position: number): Uint8Array {
    return this.#nodesOf(tree).siblingPath(position);
  }

  /** The nodes of a tree, after those of its changed leaves were written. */
  #nodesOf(tree: TreeId): TreeOverlay {
    this.#requireAlive();
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) this.#indexed[tree].writeNodes();
    return this.#overlays[tree];
  }

  leafAt(tree: TreeId, position: number): Uint8Array {
    this.#requireAlive();
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) return this.#indexed[tree].keyAt(position) ?? FR_ZERO;
    return this.#appended.leafAt(tree, position) ?? FR_ZERO;
  }

  /** Position of a value, or of a key in the nullifier tree. */
  findLeaf(tree: TreeId, value: Uint8Array): number | undefined {
    this.#requireAlive();
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) return this.#indexed[tree].leaf(value)?.index;
    return this.#appended.position(tree, value);
  }

  /** The leaf with exactly this key: a lookup, cheaper than the search of lowLeaf. */
  leaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined {
    this.#requireAlive();
    return this.#indexed[tree].leaf(key);
  }

  /** The leaf of `key`, or the one with the largest smaller key; leaf 0 for a key below every key. */
  lowLeaf(tree: IndexedTree, key: Uint8Array): { leaf: StoredLeaf; present: boolean } {
    const leaf = this.#low(tree, key);
    return { leaf, present: Buffer.compare(leaf.key, key) === 0 };
  }

  #low(tree: IndexedTree, key: Uint8Array): StoredLeaf {
    this.#requireAlive();
    const leaf = this.#indexed[tree].lowLeaf(key) ?? this.#indexed[tree].leaf(this.leafAt(tree, 0));
    if (leaf === undefined) throw new WorldStateError(`indexed tree ${tree} holds no leaf`);
    return leaf;
  }

  /**
   * Appends values to an append-only tree, which then takes up `paddedTo` positions. Zeros take up positions and cannot
   * be found.
   */
  append(tree: TreeId, values: Uint8Array[], paddedTo = values.length): void {
    this.#requireAlive();
    const first = this.#sizes[tree];
    this.#resize(tree, first + Math.max(paddedTo, values.length));
    for (const [i, value] of values.entries()) if (!isZero(value)) this.#appendAt(tree, first + i, value);
  }

  #appendAt(tree: TreeId, position: number, value: Uint8Array): void {
    const appended = { tree, position, value };
    this.#overlays[tree].setNode(position, value);
    const isFirst = this.#appended.add(appended);
    this.#frames.record(() => {
      this.#overlays[tree].setNode(position, FR_ZERO);
      this.#appended.remove(appended, isFirst);
    });
  }

  /** Takes up positions of an indexed tree without writing leaves. */
  skip(tree: IndexedTree, count: number): void {
    this.#requireAlive();
    this.#resize(tree, this.#sizes[tree] + count);
  }

  #resize(tree: TreeId, size: number): void {
    const before = this.#sizes[tree];
    this.#sizes[tree] = size;
    this.#frames.record(() => {
      this.#sizes[tree] = before;
    });
  }

  /**
   * First half of an insertion: points the low leaf at the new key. addLinked is the second half. Between the two the
   * new leaf's node is empty, which is when the sibling paths for proving are taken.
   */
  relinkLow(tree: IndexedTree, low: StoredLeaf, key: Uint8Array, position: number): void {
    const { nextKey, nextIndex } = low;
    const leaf = { index: position, key, nextKey, nextIndex, ...this.#neighboursBefore(tree, low) };
    this.#unlinked.set(position, leaf);
    this.#replace(tree, low, { ...low, nextKey: key, nextIndex: position });
  }

  /** Neighbours of a new leaf before the block. A neighbour that came with the same block passes on its own. */
  #neighboursBefore(tree: IndexedTree, low: StoredLeaf): Pick<StoredLeaf, "lowBefore" | "nextBefore"> {
    const size = this.#takenSizes[tree];
    const next = low.nextIndex < size ? undefined : this.#indexed[tree].leaf(low.nextKey);
    return {
      lowBefore: low.index < size ? low.index : low.lowBefore,
      nextBefore: next === undefined ? low.nextIndex : next.nextBefore,
    };
  }

  /** Second half of insertions: writes the new leaves, which their low leaves point at already. */
  addLinked(tree: IndexedTree, added: { leaf: LeafToInsert; position: number }[]): void {
    const leaves = added.map(({ leaf, position }) => ({
      ...(this.#unlinked.get(position) as StoredLeaf),
      value: leaf.value,
    }));
    this.#unlinked.clear();
    if (leaves.length > 0) this.#add(tree, leaves);
  }

  #add(tree: IndexedTree, leaves: StoredLeaf[]): void {
    this.#indexed[tree].addLeaves(leaves);
    this.#frames.record(() => {
      for (const leaf of leaves) this.#indexed[tree].dropLeaf(leaf);
    });
  }

  #replace(tree: IndexedTree, before: StoredLeaf, after: StoredLeaf): void {
    this.#indexed[tree].setLeaf(after);
    this.#frames.record(() => this.#indexed[tree].setLeaf(before));
  }

  /** Replaces the value of a slot that exists. */
  updateValue(leaf: StoredLeaf, value: Uint8Array): void {
    this.#replace(PUBLIC_DATA_TREE, leaf, { ...leaf, value });
  }

  /** Sequential insertion (docs/protocol/02-trees.md#28-sequential-insertion). */
  insertSequentially(tree: IndexedTree, leaves: LeafToInsert[]): void {
    for (const leaf of leaves) if (!isEmptyLeaf(leaf)) this.insertOne(tree, leaf);
  }

  /** Inserts or updates one non-empty leaf at the end of the tree. */
  insertOne(tree: IndexedTree, leaf: LeafToInsert): void {
    const low = this.#low(tree, leaf.key);
    if (Buffer.compare(low.key, leaf.key) === 0) {
      if (leaf.value === undefined) throw keyPresentError(leaf.key);
      this.updateValue(low, leaf.value);
    } else {
      const position = this.#sizes[tree];
      this.relinkLow(tree, low, leaf.key, position);
      this.addLinked(tree, [{ leaf, position }]);
      this.skip(tree, 1);
    }
  }

  /**
   * Inserts nullifiers at given positions in one batch, which the core links at once. The tree's size stays: `skip`
   * takes up the positions. Throws when a nullifier exists or occurs twice.
   */
  insertNullifiers(keys: Uint8Array[], positions: number[]): void {
    if (keys.length === 0) return;
    const lows = keys.map((key) => {
      const low = this.#low(NULLIFIER_TREE, key);
      if (Buffer.compare(low.key, key) === 0) throw keyPresentError(key);
      return low;
    });
    const linked = this.core.linkLeaves({
      keys: Buffer.concat(keys),
      positions,
      lowIndexes: lows.map((low) => low.index),
      lowNextKeys: Buffer.concat(lows.map((low) => low.nextKey)),
      lowNextIndexes: lows.map((low) => low.nextIndex),
    });
    const byIndex = new Map(lows.map((low) => [low.index, low]));
    for (const { index, nextKey, nextIndex } of linked.lows) {
      const low = byIndex.get(index) as StoredLeaf;
      this.#replace(NULLIFIER_TREE, low, { ...low, nextKey, nextIndex });
    }
    this.#add(
      NULLIFIER_TREE,
      keys.map((key, i) => ({
        index: positions[i],
        key,
        nextKey: linked.nextKeys.subarray(i * 32, i * 32 + 32),
        nextIndex: linked.nextIndexes[i],
        lowBefore: lows[i].index,
        nextBefore: lows[i].nextIndex,
      })),
    );
  }

  /**
   * Writes the first leaves of an indexed tree, every node a preimage hash even that of an empty leaf
   * (docs/protocol/02-trees.md#212-genesis-trees).
   */
  plantGenesis(tree: IndexedTree, leaves: StoredLeaf[]): void {
    this.#indexed[tree].addLeaves(leaves);
    this.#indexed[tree].writeNodes({ emptyAsZero: false });
    this.skip(tree, leaves.length);
  }

  /** Open frames. */
  get depth(): number {
    return this.#frames.depth;
  }

  /** Opens a frame: a savepoint that later writes can be reverted to. Returns the new depth. */
  openFrame(): number {
    this.#requireAlive();
    return this.#frames.open();
  }

  commitFrame(): void {
    this.#requireAlive();
    this.#frames.commit();
  }

  revertFrame(): void {
    this.#requireAlive();
    this.#frames.revert();
  }

  commitFramesTo(depth: number): void {
    if (depth >= this.depth) throw new WorldStateError("Invalid depth for commit_to_depth");
    while (this.depth > depth) this.commitFrame();
  }

  revertFramesTo(depth: number): void {
    if (depth >= this.depth) throw new WorldStateError("Invalid depth for revert_to_depth");
    while (this.depth > depth) this.revertFrame();
  }

  /** The leaves that changed since the last call: those of one block. Hashes nothing. */
  takeLeaves(): ChangedLeaves {
    this.#takenSizes = [...this.#sizes];
    return {
      appended: this.#appended.takeNew(),
      indexed: { 0: this.#indexed[0].takeChanged(), 2: this.#indexed[2].takeChanged() },
    };
  }

  /** Packed tiles of a tree that changed since the last call. */
  takeTiles(tree: TreeId): ChangedTile[] {
    return this.#nodesOf(tree).takeChanged();
  }
}
