import { mapKey } from "../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { AppendedValue } from "./appended-leaves.ts";
import type { Fork } from "./fork.ts";
import type { StoredLeaf } from "./tables/leaf-row.ts";
import { valueKey } from "./tables/row-keys.ts";
import type { IndexedTree, StateView } from "./tables/state-view.ts";
import type { Versioned } from "./tables/versioned.ts";

/** What one block changes in the leaves, and what is needed to undo it. */
export interface SealedBlock {
  block: number;
  sizesBefore: number[];
  sizes: number[];
  /** New and changed leaves of the indexed trees, as of the end of the block. */
  leaves: Record<IndexedTree, StoredLeaf[]>;
  /** Slot values that the block replaces. */
  endedValues: { slot: Uint8Array; value: Versioned }[];
  appended: AppendedValue[];
  /**
   * Values that lookups now find at a new position, with the previous position. The first position within a block
   * counts.
   */
  found: { tree: TreeId; value: Uint8Array; position: number; before: number | undefined }[];
}

/**
 * Collects the changed leaves of consecutive blocks from one fork. Remembers the versions that each block leaves, since
 * the next block replaces them and the base does not have them.
 */
export class BlockSealer {
  readonly #fork: Fork;
  readonly #base: StateView;
  readonly #values = new Map<string, Versioned>();
  readonly #positions = new Map<string, number>();
  #sizes: number[];

  constructor(fork: Fork) {
    this.#fork = fork;
    this.#base = fork.base;
    this.#sizes = TREE_IDS.map((tree) => fork.base.size(tree));
  }

  seal(block: number): SealedBlock {
    const { appended, indexed } = this.#fork.takeLeaves();
    const sizesBefore = this.#sizes;
    this.#sizes = TREE_IDS.map((tree) => this.#fork.size(tree));
    const endedValues: SealedBlock["endedValues"] = [];
    const slots = indexed[2].map((leaf) => this.#slot(block, leaf, endedValues));
    return {
      block,
      sizesBefore,
      sizes: this.#sizes,
      leaves: { 0: indexed[0], 2: slots },
      endedValues,
      appended,
      found: this.#found(appended),
    };
  }

  #found(appended: AppendedValue[]): SealedBlock["found"] {
    const first = new Map<string, AppendedValue>();
    for (const entry of appended) {
      const name = mapKey(valueKey(entry.tree, entry.value));
      if (!first.has(name)) first.set(name, entry);
    }
    return [...first].map(([name, { tree, value, position }]) => {
      const before = this.#positions.get(name) ?? this.#base.position(tree, value);
      this.#positions.set(name, position);
      return { tree, value, position, before };
    });
  }

  /** A slot's leaf with the block that wrote its value. A new slot replaces no value. */
  #slot(block: number, leaf: StoredLeaf, ended: SealedBlock["endedValues"]): StoredLeaf {
    const name = mapKey(leaf.key);
    const bytes = leaf.value as Uint8Array;
    const before = this.#values.get(name) ?? this.#baseValue(leaf);
    const unchanged = before !== undefined && Buffer.compare(before.bytes, bytes) === 0;
    const since = unchanged ? before.since : block;
    this.#values.set(name, { since, bytes });
    if (before !== undefined && !unchanged) ended.push({ slot: leaf.key, value: before });
    return { ...leaf, since };
  }

  #baseValue(leaf: StoredLeaf): Versioned | undefined {
    if (leaf.index >= this.#base.size(2)) return undefined;
    const stored = this.#base.lowLeaf(2, leaf.key) as StoredLeaf;
    return { since: stored.since ?? 0, bytes: stored.value as Uint8Array };
  }
}
