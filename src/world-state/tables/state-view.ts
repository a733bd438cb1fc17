import type { TreeId } from "../../protocol/constants.ts";
import type { StoredLeaf } from "./leaf-row.ts";
import type { TreeNodes } from "./tree-nodes.ts";
import type { Versioned } from "./versioned.ts";

export type IndexedTree = 0 | 2;

/** The five trees as of one block: the base of a fork. */
export interface StateView {
  readonly block: number;
  size(tree: TreeId): number;
  root(tree: TreeId): Uint8Array;
  /** A packed tile and the block since which it is valid. */
  tile(tree: TreeId, level: number, index: number): Versioned | undefined;
  /** Value at a position; the key for an indexed tree. Undefined for empty positions. */
  leafAt(tree: TreeId, position: number): Uint8Array | undefined;
  /** Position of a value in an append-only tree. */
  position(tree: TreeId, value: Uint8Array): number | undefined;
  /** The leaf with exactly this key. */
  leaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined;
  /** The leaf with the largest key <= `key`; undefined only if all keys are larger. */
  lowLeaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined;
}

/** Trees without leaves, the base of genesis. */
export function emptyState(nodes: TreeNodes, heights: readonly number[]): StateView {
  return {
    block: -1,
    size: () => 0,
    root: (tree) => nodes[tree].zeroHashes[heights[tree]],
    tile: () => undefined,
    leafAt: () => undefined,
    position: () => undefined,
    leaf: () => undefined,
    lowLeaf: () => undefined,
  };
}

/** A view that can be moved to a later block. */
export class MovableState implements StateView {
  #state: StateView;

  constructor(state: StateView) {
    this.#state = state;
  }

  moveTo(state: StateView): void {
    this.#state = state;
  }

  get block(): number {
    return this.#state.block;
  }

  size(tree: TreeId): number {
    return this.#state.size(tree);
  }

  root(tree: TreeId): Uint8Array {
    return this.#state.root(tree);
  }

  tile(tree: TreeId, level: number, index: number): Versioned | undefined {
    return this.#state.tile(tree, level, index);
  }

  leafAt(tree: TreeId, position: number): Uint8Array | undefined {
    return this.#state.leafAt(tree, position);
  }

  position(tree: TreeId, value: Uint8Array): number | undefined {
    return this.#state.position(tree, value);
  }

  leaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined {
    return this.#state.leaf(tree, key);
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined {
    return this.#state.lowLeaf(tree, key);
  }
}
