import type { Core } from "../core/core.ts";
import { isZero } from "../protocol/bytes.ts";
import { PUBLIC_DATA_TREE } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import type { IndexedLeaf, StoredLeaf } from "./tables/leaf-row.ts";
import { SortedKeys } from "./tables/sorted-keys.ts";
import type { IndexedTree, StateView } from "./tables/state-view.ts";
import type { TreeOverlay } from "./tree-overlay.ts";

/**
 * Leaves of an indexed tree above a base state: the sorted list of keys and the pointers between them. Leaf nodes are
 * hashed together when the tree is flushed.
 */
export class IndexedOverlay {
  readonly #core: Core;
  readonly #tree: IndexedTree;
  readonly #base: StateView;
  readonly #nodes: TreeOverlay;
  /** Added and replaced leaves by position. */
  readonly #leaves = new Map<number, StoredLeaf>();
  /** Keys of added leaves and their positions. */
  readonly #newKeys = new SortedKeys();
  /** Positions of leaves whose node is not written yet. See writeNodes. */
  readonly #pending = new Set<number>();
  readonly #changed = new Set<number>();

  constructor(core: Core, tree: IndexedTree, base: StateView, nodes: TreeOverlay) {
    this.#core = core;
    this.#tree = tree;
    this.#base = base;
    this.#nodes = nodes;
  }

  /** The leaf with the largest key <= `key`. */
  lowLeaf(key: Uint8Array): StoredLeaf | undefined {
    const fromBase = this.#base.lowLeaf(this.#tree, key);
    const at = this.#newKeys.upperBound(key) - 1;
    if (at >= 0 && (fromBase === undefined || this.#newKeys.compareAt(at, fromBase.key) > 0)) {
      return this.#leaves.get(this.#newKeys.numberAt(at));
    }
    return fromBase && (this.#leaves.get(fromBase.index) ?? fromBase);
  }

  /** Leaf with exactly this key. */
  leaf(key: Uint8Array): StoredLeaf | undefined {
    const at = this.#newKeys.upperBound(key) - 1;
    if (at >= 0 && this.#newKeys.compareAt(at, key) === 0) return this.#leaves.get(this.#newKeys.numberAt(at));
    const fromBase = this.#base.leaf(this.#tree, key);
    return fromBase && (this.#leaves.get(fromBase.index) ?? fromBase);
  }

  keyAt(position: number): Uint8Array | undefined {
    return this.#leaves.get(position)?.key ?? this.#base.leafAt(this.#tree, position);
  }

  /** Adds leaves, pointers included, whose keys are not in the tree. */
  addLeaves(leaves: StoredLeaf[]): void {
    for (const leaf of leaves) this.setLeaf(leaf);
    this.#newKeys.add(leaves);
  }

  /** Replaces an existing leaf. */
  setLeaf(leaf: StoredLeaf): void {
    this.#leaves.set(leaf.index, leaf);
    this.#pending.add(leaf.index);
    this.#changed.add(leaf.index);
  }

  /** Removes an added leaf. */
  dropLeaf(leaf: StoredLeaf): void {
    this.#leaves.delete(leaf.index);
    this.#pending.delete(leaf.index);
    this.#changed.delete(leaf.index);
    this.#newKeys.remove(leaf.key);
    this.#nodes.setNode(leaf.index, FR_ZERO);
  }

  /**
   * Writes the nodes of changed leaves. A leaf that an update leaves empty (key 0 and no value) gets node 0; at genesis
   * it is a preimage hash like any other (docs/protocol/02-trees.md#27-inserting-one-leaf and
   * docs/protocol/02-trees.md#212-genesis-trees).
   */
  writeNodes({ emptyAsZero = true } = {}): void {
    if (this.#pending.size === 0) return;
    const width = preimageBytes(this.#tree);
    const leaves = Array.from(this.#pending, (index) => this.#leaves.get(index) as StoredLeaf);
    this.#pending.clear();
    const input = new Uint8Array(leaves.length * width);
    for (const [i, leaf] of leaves.entries()) writePreimage(leaf, input, i * width);
    const hashes = this.#core.hashMany(input, width / 32);
    for (const [i, leaf] of leaves.entries()) {
      const empty = emptyAsZero && isZero(leaf.key) && (leaf.value === undefined || isZero(leaf.value));
      this.#nodes.setNode(leaf.index, empty ? FR_ZERO : hashes.subarray(i * 32, i * 32 + 32));
    }
  }

  /** Leaves added or replaced since the last call. */
  takeChanged(): StoredLeaf[] {
    const leaves = Array.from(this.#changed, (index) => this.#leaves.get(index) as StoredLeaf);
    this.#changed.clear();
    return leaves;
  }
}

/** Bytes of a leaf's preimage. */
export function preimageBytes(tree: IndexedTree): number {
  return tree === PUBLIC_DATA_TREE ? 128 : 96;
}

/**
 * Preimage words: key [, value], next key, next index (docs/protocol/02-trees.md#25-leaf-of-an-indexed-tree). `out` is
 * zero where it is not written.
 */
export function writePreimage(leaf: IndexedLeaf, out: Uint8Array, at: number): void {
  out.set(leaf.key, at);
  let next = at + 32;
  if (leaf.value !== undefined) {
    out.set(leaf.value, next);
    next += 32;
  }
  out.set(leaf.nextKey, next);
  for (let i = 31, rest = leaf.nextIndex; rest > 0; i--, rest = Math.floor(rest / 256)) out[next + 32 + i] = rest % 256;
}
