import { equal } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_HEIGHTS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import type { Entry } from "../storage/table.ts";
import { WorldStateError } from "./errors.ts";
import type { Fork } from "./fork.ts";
import type { PathReader } from "./path-reader.ts";
import type { StoredState } from "./stored-state.ts";
import type { IndexedLeaf } from "./tables/leaf-row.ts";
import type { TreeSnapshot } from "./tables/state-row.ts";
import type { IndexedTree } from "./tables/state-view.ts";
import type { LeafText, StateAt, WantedLeaf } from "./types.ts";

/**
 * The trees after a kept block. The block's row, which has all roots, identifies them: equal roots are equal trees,
 * even if the block was unwound and replaced in between.
 */
export class KnownState implements StateAt {
  readonly block: number;
  readonly row: Uint8Array;
  readonly #id: number;
  readonly #stored: StoredState;
  readonly #paths: PathReader;

  /** `id` identifies the content of the trees for the path reader. */
  constructor(id: number, row: Uint8Array, stored: StoredState, paths: PathReader) {
    this.block = stored.block;
    this.row = row;
    this.#id = id;
    this.#stored = stored;
    this.#paths = paths;
  }

  snapshot(tree: TreeId): TreeSnapshot {
    return { root: this.#stored.root(tree), size: this.#stored.size(tree) };
  }

  findLeaf(tree: TreeId, value: Uint8Array): number | undefined {
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) return this.#stored.leaf(tree, value)?.index;
    return this.#stored.position(tree, value);
  }

  leafAt(tree: TreeId, position: number): Uint8Array {
    return this.#stored.leafAt(tree, position) ?? FR_ZERO;
  }

  siblingPath(tree: TreeId, position: number, out?: Uint8Array): Uint8Array {
    const bytes = TREE_HEIGHTS[tree] * 32;
    const path = out ?? new Uint8Array(bytes);
    this.#paths.write(this.#id, this.#stored, tree, position, path);
    return path.length === bytes ? path : path.subarray(0, bytes);
  }

  leaf(tree: IndexedTree, key: Uint8Array): IndexedLeaf | undefined {
    return this.#stored.leaf(tree, key);
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    const stored = this.#stored;
    // Keys below all keys of the tree have no low leaf; leaf 0 is used for them.
    const leaf = stored.lowLeaf(tree, key) ?? stored.lowLeaf(tree, stored.leafAt(tree, 0) ?? FR_ZERO);
    if (leaf === undefined) throw new WorldStateError(`indexed tree ${tree} holds no leaf`);
    return { leaf, present: equal(leaf.key, key) };
  }

  lowLeafText(tree: IndexedTree, key: Uint8Array, wanted: WantedLeaf, text: LeafText): Uint8Array | undefined {
    const entry = this.#stored.lowLeafEntry(tree, key);
    if (entry === undefined) return undefined;
    if (wanted !== "either" && isEntryOf(entry, key) !== (wanted === "present")) return undefined;
    return this.#paths.text(this.#id, this.#stored, tree, entry, text);
  }
}

/** Whether an entry of the key table belongs to `key`; the entry's key starts with the tree's number. */
function isEntryOf(entry: Entry, key: Uint8Array): boolean {
  for (let i = 0; i < key.length; i++) if (entry.key[i + 1] !== key[i]) return false;
  return true;
}

/** The trees of block 0, kept in memory because pruning may remove the stored ones. */
export class GenesisTrees implements StateAt {
  readonly block = 0;
  readonly #fork: Fork;

  constructor(fork: Fork) {
    this.#fork = fork;
  }

  snapshot(tree: TreeId): TreeSnapshot {
    return this.#fork.snapshot(tree);
  }

  findLeaf(tree: TreeId, value: Uint8Array): number | undefined {
    return this.#fork.findLeaf(tree, value);
  }

  leafAt(tree: TreeId, position: number): Uint8Array {
    return this.#fork.leafAt(tree, position);
  }

  siblingPath(tree: TreeId, position: number, out?: Uint8Array): Uint8Array {
    const path = this.#fork.siblingPath(tree, position);
    if (out === undefined) return path;
    out.set(path);
    return out.subarray(0, path.length);
  }

  leaf(tree: IndexedTree, key: Uint8Array): IndexedLeaf | undefined {
    const { leaf, present } = this.#fork.lowLeaf(tree, key);
    return present ? leaf : undefined;
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    return this.#fork.lowLeaf(tree, key);
  }
}
