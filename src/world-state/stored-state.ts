import { equal, readU32 } from "../protocol/bytes.ts";
import { PUBLIC_DATA_TREE, type TreeId } from "../protocol/constants.ts";
import type { Entry } from "../storage/table.ts";
import { UnknownStateError } from "./errors.ts";
import { oldTile } from "./old-tile.ts";
import {
  copyLeaf,
  leafBytes,
  leafRowBytes,
  readLeafIndex,
  readLowBefore,
  readNextBefore,
  readNextIndex,
  readSince,
  type StoredLeaf,
} from "./tables/leaf-row.ts";
import {
  blockKey,
  historyKey,
  positionKey,
  readPosition,
  VALUE_KEY_BYTES,
  valueKey,
  writeValueKey,
} from "./tables/row-keys.ts";
import { readState, type Snapshots } from "./tables/state-row.ts";
import type { IndexedTree, StateView } from "./tables/state-view.ts";
import type { WorldStateTables } from "./tables/tables.ts";
import { tileKey } from "./tables/tile-address.ts";
import { readVersioned, type Versioned } from "./tables/versioned.ts";
import { copyWord } from "./tables/word-copies.ts";

const leafRow = new Uint8Array(leafRowBytes(PUBLIC_DATA_TREE));
const keyBuffer = new Uint8Array(VALUE_KEY_BYTES);

/** The row of a key's leaf, whichever block added it. Valid until the next call. */
function readLeafRow(tables: WorldStateTables, tree: IndexedTree, key: Uint8Array): Uint8Array | undefined {
  const length = tables.keys.readInto(writeValueKey(keyBuffer, tree, key), leafRow);
  return length < 0 ? undefined : leafRow.subarray(0, length);
}

/**
 * The trees after a kept block, read from the store. A read of the latest state takes one or two point reads. In an
 * older state, a value that has changed since takes one more seek in a history table, and a leaf whose neighbours were
 * added later takes some steps along the list of keys (see StoredLeaf): about log(size now / size then), if keys arrive
 * in random order.
 */
export class StoredState implements StateView {
  readonly block: number;
  readonly #tables: WorldStateTables;
  readonly #snapshots: Snapshots;

  /** `row` is the block's row of `states`; the state keeps it. */
  constructor(tables: WorldStateTables, block: number, row = tables.states.get(blockKey(block))) {
    if (row === undefined) throw new UnknownStateError(block);
    this.block = block;
    this.#tables = tables;
    this.#snapshots = readState(row);
  }

  size(tree: TreeId): number {
    return this.#snapshots[tree].size;
  }

  root(tree: TreeId): Uint8Array {
    return this.#snapshots[tree].root;
  }

  tile(tree: TreeId, level: number, index: number): Versioned | undefined {
    const key = tileKey(tree, level, index);
    const row = this.#tables.tiles.get(key);
    if (row === undefined || readU32(row, 0) <= this.block) return row && readVersioned(row);
    return this.olderTile(key);
  }

  /** The version of a tile that later blocks changed. */
  olderTile(key: Uint8Array): Versioned | undefined {
    return oldTile(this.#tables, key, this.block);
  }

  /** The version as of this block of a row that later blocks changed; undefined if it did not exist then. */
  #historical(table: WorldStateTables["tileHistory"], key: Uint8Array): Versioned | undefined {
    const found = table.atOrAfter(historyKey(key, this.block));
    if (found === undefined || !equal(found.key.subarray(0, key.length), key)) return undefined;
    const version = readVersioned(found.value);
    return version.since <= this.block ? version : undefined;
  }

  leafAt(tree: TreeId, position: number): Uint8Array | undefined {
    if (position >= this.size(tree)) return undefined;
    return this.#tables.leaves.get(positionKey(tree, position));
  }

  position(tree: TreeId, value: Uint8Array): number | undefined {
    const row = this.#tables.positions.get(valueKey(tree, value));
    if (row === undefined) return undefined;
    const position = readPosition(row);
    return position < this.size(tree) ? position : undefined;
  }

  /** The leaf with exactly this key. */
  leaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined {
    const row = readLeafRow(this.#tables, tree, key);
    const size = this.size(tree);
    return row !== undefined && readLeafIndex(row) < size ? this.#asOfBlock(tree, copyLeaf(key, row), size) : undefined;
  }

  lowLeaf(tree: IndexedTree, key: Uint8Array): StoredLeaf | undefined {
    const size = this.size(tree);
    const leaf = this.#lastUpTo(tree, key, size);
    return leaf && this.#asOfBlock(tree, leaf, size);
  }

  /** The leaf that lowLeaf returns, as an entry of the key table. Valid until the next read. */
  lowLeafEntry(tree: IndexedTree, key: Uint8Array): Entry | undefined {
    const size = this.size(tree);
    const entry = this.#tables.keys.borrowAtOrBefore(writeValueKey(keyBuffer, tree, key));
    if (entry !== undefined && entry.key[0] === tree) {
      const row = entry.value;
      if (readLeafIndex(row) < size && readNextIndex(row) < size && readSince(row) <= this.block) return entry;
    }
    const leaf = this.lowLeaf(tree, key);
    return leaf && { key: valueKey(tree, leaf.key), value: leafBytes(leaf) };
  }

  /** The leaf with the largest key <= `key` among the first `size`, in its latest version. */
  #lastUpTo(tree: IndexedTree, key: Uint8Array, size: number): StoredLeaf | undefined {
    const found = this.#tables.keys.borrowAtOrBefore(writeValueKey(keyBuffer, tree, key));
    if (found === undefined || found.key[0] !== tree) return undefined;
    if (readLeafIndex(found.value) < size) return copyLeaf(copyWord(found.key, 1), found.value);
    const low = this.#earlierLow(tree, readLowBefore(found.value), size);
    // Leaf 0 is also the low leaf of smaller keys.
    return Buffer.compare(low.key, key) <= 0 ? low : undefined;
  }

  /** Follows low leaves from the leaf at `index` to one among the first `size`. */
  #earlierLow(tree: IndexedTree, index: number, size: number): StoredLeaf {
    for (;;) {
      const key = this.#keyAt(tree, index);
      const row = this.#rowOf(tree, key, index);
      if (index < size) return copyLeaf(key, row);
      index = readLowBefore(row);
    }
  }

  /** Key of a leaf of this or a later state. */
  #keyAt(tree: IndexedTree, index: number): Uint8Array {
    const key = this.#tables.leaves.get(positionKey(tree, index));
    if (key === undefined) throw new Error(`tree ${tree}: the key of leaf ${index} is missing`);
    return key;
  }

  #rowOf(tree: IndexedTree, key: Uint8Array, index: number): Uint8Array {
    const row = readLeafRow(this.#tables, tree, key);
    if (row === undefined) throw new Error(`tree ${tree}: the row of leaf ${index} is missing`);
    return row;
  }

  /** Restores what later blocks changed in a leaf: pointers to leaves beyond this state's size, and the value. */
  #asOfBlock(tree: IndexedTree, leaf: StoredLeaf, size: number): StoredLeaf {
    let { nextKey, nextIndex } = leaf;
    while (nextIndex >= size) {
      nextIndex = readNextBefore(this.#rowOf(tree, nextKey, nextIndex));
      // The end of the list points to leaf 0 by index and key.
      nextKey = this.#keyAt(tree, nextIndex);
    }
    if (nextIndex !== leaf.nextIndex) leaf = { ...leaf, nextKey, nextIndex };
    if (leaf.value !== undefined && leaf.since !== undefined && leaf.since > this.block) {
      const version = this.#historical(this.#tables.valueHistory, leaf.key);
      if (version === undefined)
        throw new Error(`slot value of leaf ${leaf.index} has no version for block ${this.block}`);
      leaf = { ...leaf, value: version.bytes, since: version.since };
    }
    return leaf;
  }
}
