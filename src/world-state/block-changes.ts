import { TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { AppendedValue, Fork } from "./fork.ts";
import { mapKey } from "./indexed-overlay.ts";
import type { IndexedTree, StateView } from "./state-view.ts";
import {
  blockKey,
  historyKey,
  leafBytes,
  positionBytes,
  positionKey,
  type Snapshots,
  type StoredLeaf,
  stateBytes,
  type UndoRecord,
  undoBytes,
  updateStatus,
  type Versioned,
  valueKey,
  versionedBytes,
  type WorldStateTables,
} from "./tables.ts";
import { tileKey, tileOfId } from "./tile-address.ts";

/** What one block changes in the store: new versions, and the versions that they end. */
export interface BlockChanges {
  block: number;
  snapshots: Snapshots;
  /** Sizes before the block. */
  sizesBefore: number[];
  tiles: { key: Uint8Array; before: Versioned | undefined; record: Uint8Array }[];
  leaves: { tree: IndexedTree; leaf: StoredLeaf; valueBefore: Versioned | undefined }[];
  appended: AppendedValue[];
  /** Values that lookups find at a new position, with the position before. The first position of a block wins. */
  found: { tree: TreeId; value: Uint8Array; position: number; before: number | undefined }[];
}

/**
 * Takes block after block out of one fork, so that each block's row of history gets the version which the block before it left.
 */
export class BlockSealer {
  readonly #fork: Fork;
  readonly #base: StateView;
  readonly #tiles = new Map<string, Versioned>();
  readonly #values = new Map<string, Versioned>();
  readonly #positions = new Map<string, number>();
  #sizes: number[];

  constructor(fork: Fork) {
    this.#fork = fork;
    this.#base = fork.base;
    this.#sizes = TREE_IDS.map((tree) => fork.base.size(tree));
  }

  seal(block: number): BlockChanges {
    const { tiles, appended, leaves } = this.#fork.takeChanges();
    const sizesBefore = this.#sizes;
    this.#sizes = TREE_IDS.map((tree) => this.#fork.size(tree));
    return {
      block,
      snapshots: TREE_IDS.map((tree) => this.#fork.snapshot(tree)),
      sizesBefore,
      tiles: tiles.flatMap((changed, tree) =>
        changed.map(({ id, record }) => this.#tile(block, tree as TreeId, id, record)),
      ),
      leaves: [
        ...leaves[0].map((leaf) => ({ tree: 0 as const, leaf, valueBefore: undefined })),
        ...leaves[2].map((leaf) => this.#slot(block, leaf)),
      ],
      appended,
      found: this.#found(appended),
    };
  }

  #found(appended: AppendedValue[]): BlockChanges["found"] {
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

  #tile(block: number, tree: TreeId, id: number, record: Uint8Array): BlockChanges["tiles"][number] {
    const { level, index } = tileOfId(id);
    const key = tileKey(tree, level, index);
    const name = mapKey(key);
    const before = this.#tiles.get(name) ?? this.#base.tile(tree, level, index);
    this.#tiles.set(name, { since: block, bytes: record });
    return { key, before, record };
  }

  /** A slot's leaf with the block that wrote its value; a new slot's value has no version before. */
  #slot(block: number, leaf: StoredLeaf): BlockChanges["leaves"][number] {
    const name = mapKey(leaf.key);
    const value = leaf.value as Uint8Array;
    const before = this.#values.get(name) ?? this.#baseValue(leaf);
    const unchanged = before !== undefined && Buffer.compare(before.bytes, value) === 0;
    const since = unchanged ? before.since : block;
    this.#values.set(name, { since, bytes: value });
    return { tree: 2, leaf: { ...leaf, since }, valueBefore: unchanged ? undefined : before };
  }

  #baseValue(leaf: StoredLeaf): Versioned | undefined {
    if (leaf.index >= this.#base.size(2)) return undefined;
    const stored = this.#base.lowLeaf(2, leaf.key) as StoredLeaf;
    return { since: stored.since ?? 0, bytes: stored.value as Uint8Array };
  }
}

/** Writes one block's changes. Runs inside a transaction, on top of the state before the block. */
export function writeBlockChanges(tables: WorldStateTables, changes: BlockChanges): void {
  const { block, tiles, leaves, appended, found, snapshots, sizesBefore } = changes;
  const undo: UndoRecord = { tiles: [], slots: [], earlierPositions: [] };
  for (const { key, before, record } of tiles) {
    if (before !== undefined) tables.tileHistory.put(historyKey(key, block - 1), versionedBytes(before));
    tables.tiles.put(key, versionedBytes({ since: block, bytes: record }));
    undo.tiles.push(key);
  }
  for (const { tree, leaf, valueBefore } of leaves) {
    tables.keys.put(valueKey(tree, leaf.key), leafBytes(leaf));
    if (leaf.index >= sizesBefore[tree]) tables.leaves.put(positionKey(tree, leaf.index), leaf.key);
    if (valueBefore !== undefined) {
      tables.valueHistory.put(historyKey(leaf.key, block - 1), versionedBytes(valueBefore));
      undo.slots.push(leaf.key);
    }
  }
  for (const { tree, position, value } of appended) tables.leaves.put(positionKey(tree, position), value);
  for (const { tree, value, position, before } of found) {
    tables.positions.put(valueKey(tree, value), positionBytes(position));
    if (before !== undefined) undo.earlierPositions.push({ tree, value, position: before });
  }
  tables.undo.put(blockKey(block), undoBytes(undo));
  tables.states.put(blockKey(block), stateBytes(snapshots));
  for (const tree of TREE_IDS) {
    const { size } = snapshots[tree];
    if (size > sizesBefore[tree]) tables.sizes.put(positionKey(tree, size), blockKey(block));
  }
  updateStatus(tables, { tip: block });
}
