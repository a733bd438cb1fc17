import type { Core } from "../core/core.ts";
import { isZero } from "../protocol/bytes.ts";
import { FR_ZERO } from "../protocol/field.ts";
import type { IndexedTree, StateView } from "./state-view.ts";
import type { StoredLeaf } from "./tables.ts";
import type { TreeOverlay } from "./tree-overlay.ts";
import type { IndexedLeaf } from "./types.ts";

/** A byte string as a map key. */
export function mapKey(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

/**
 * Leaves of an indexed tree above a base state: the sorted list of keys and the pointers between them. Leaf nodes are hashed
 * together when the tree is flushed.
 */
export class IndexedOverlay {
  readonly #core: Core;
  readonly #tree: IndexedTree;
  readonly #base: StateView;
  readonly #nodes: TreeOverlay;
  readonly #leaves = new Map<string, StoredLeaf>();
  readonly #keyAt = new Map<number, Uint8Array>();
  /** Keys that the base does not hold, ascending. */
  #newKeys: Uint8Array[] = [];
  /** Leaves whose node is not written yet, by position. A leaf that an update leaves empty has node 0, see setLeaf. */
  readonly #pending = new Map<number, StoredLeaf>();
  readonly #changed = new Set<string>();

  constructor(core: Core, tree: IndexedTree, base: StateView, nodes: TreeOverlay) {
    this.#core = core;
    this.#tree = tree;
    this.#base = base;
    this.#nodes = nodes;
  }

  /** The leaf with the largest key <= `key`. */
  lowLeaf(key: Uint8Array): StoredLeaf | undefined {
    const fromBase = this.#base.lowLeaf(this.#tree, key);
    const at = this.#upperBound(key);
    const fromNew = at > 0 ? this.#newKeys[at - 1] : undefined;
    if (fromNew !== undefined && (fromBase === undefined || Buffer.compare(fromNew, fromBase.key) > 0)) {
      return this.#leaves.get(mapKey(fromNew));
    }
    return fromBase && (this.#leaves.get(mapKey(fromBase.key)) ?? fromBase);
  }

  /** Leaf with exactly this key. */
  leaf(key: Uint8Array): StoredLeaf | undefined {
    return this.#leaves.get(mapKey(key)) ?? this.#base.leaf(this.#tree, key);
  }

  keyAt(position: number): Uint8Array | undefined {
    return this.#keyAt.get(position) ?? this.#base.leafAt(this.#tree, position);
  }

  addLeaf(leaf: StoredLeaf): void {
    this.addLeaves([leaf]);
  }

  /** Adds leaves with keys that the tree does not hold, pointers included. */
  addLeaves(leaves: StoredLeaf[]): void {
    for (const leaf of leaves) {
      this.#leaves.set(mapKey(leaf.key), leaf);
      this.#keyAt.set(leaf.index, leaf.key);
      this.#pending.set(leaf.index, leaf);
      this.#changed.add(mapKey(leaf.key));
    }
    if (leaves.length === 1) {
      this.#newKeys.splice(this.#upperBound(leaves[0].key), 0, leaves[0].key);
    } else {
      this.#newKeys = merged(this.#newKeys, leaves.map((leaf) => leaf.key).sort(Buffer.compare));
    }
  }

  /** Replaces a leaf that exists. */
  setLeaf(leaf: StoredLeaf): void {
    this.#leaves.set(mapKey(leaf.key), leaf);
    this.#pending.set(leaf.index, leaf);
    this.#changed.add(mapKey(leaf.key));
  }

  /** Inverse of addLeaf. */
  dropLeaf(leaf: StoredLeaf): void {
    this.#leaves.delete(mapKey(leaf.key));
    this.#keyAt.delete(leaf.index);
    this.#pending.delete(leaf.index);
    this.#changed.delete(mapKey(leaf.key));
    this.#newKeys.splice(this.#upperBound(leaf.key) - 1, 1);
    this.#nodes.setNode(leaf.index, FR_ZERO);
  }

  /**
   * Writes the nodes of changed leaves. A leaf that an update leaves empty (key 0 and no value) gets node 0; at genesis it is a
   * preimage hash like any other (sheet 01 sections 7.3 and 9.1).
   */
  writeNodes({ emptyAsZero = true } = {}): void {
    if (this.#pending.size === 0) return;
    const arity = this.#tree === 0 ? 3 : 4;
    const leaves = [...this.#pending.values()];
    this.#pending.clear();
    const input = new Uint8Array(leaves.length * arity * 32);
    for (const [i, leaf] of leaves.entries()) writePreimage(leaf, input, i * arity * 32);
    const hashes = this.#core.hashMany(input, arity);
    for (const [i, leaf] of leaves.entries()) {
      const empty = emptyAsZero && isZero(leaf.key) && (leaf.value === undefined || isZero(leaf.value));
      this.#nodes.setNode(leaf.index, empty ? FR_ZERO : hashes.subarray(i * 32, i * 32 + 32));
    }
  }

  /** Leaves that were added or replaced since the last call. */
  takeChanged(): StoredLeaf[] {
    const leaves = [...this.#changed].map((key) => this.#leaves.get(key) as StoredLeaf);
    this.#changed.clear();
    return leaves;
  }

  /** Number of new keys <= `key`. */
  #upperBound(key: Uint8Array): number {
    return upperBound(this.#newKeys, key);
  }
}

/** Number of sorted keys <= `key`, at least `low`. */
function upperBound(keys: Uint8Array[], key: Uint8Array, low = 0): number {
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (Buffer.compare(keys[middle], key) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Two sorted lists as one; the second is the short one. */
function merged(keys: Uint8Array[], added: Uint8Array[]): Uint8Array[] {
  const all: Uint8Array[] = [];
  let from = 0;
  for (const key of added) {
    const at = upperBound(keys, key, from);
    while (from < at) all.push(keys[from++]);
    all.push(key);
  }
  while (from < keys.length) all.push(keys[from++]);
  return all;
}

export function preimage(leaf: IndexedLeaf): Uint8Array {
  const words = new Uint8Array(leaf.value === undefined ? 96 : 128);
  writePreimage(leaf, words, 0);
  return words;
}

/** Preimage words: key [, value], next key, next index (sheet 01 section 7.1). `out` is zero where it is not written. */
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
