import type { Core } from "../../src/core/core.ts";
import { concat } from "../../src/protocol/bytes.ts";
import {
  ARCHIVE,
  INITIAL_INDEXED_LEAVES,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import type { Store } from "../../src/storage/store.ts";
import { genesisContent } from "../../src/world-state/genesis.ts";
import { leafBytes, readLeaf } from "../../src/world-state/tables/leaf-row.ts";
import { blockKey, positionKey, valueKey } from "../../src/world-state/tables/row-keys.ts";
import { readState, stateBytes } from "../../src/world-state/tables/state-row.ts";
import { updateStatus } from "../../src/world-state/tables/status-row.ts";
import { openTables, type WorldStateTables } from "../../src/world-state/tables/tables.ts";
import { TILE_HEIGHT, tileHeightAt, tileKey, tileLevels } from "../../src/world-state/tables/tile-address.ts";
import { WorldState } from "../../src/world-state/world-state.ts";
import { SeededBytes } from "./seeded-bytes.ts";

export interface SyntheticStateOptions {
  /** Leaves of each indexed tree beyond those of genesis. */
  nullifiers: number;
  slots: number;
  seed?: number;
}

const ROWS_PER_TRANSACTION = 200_000;

/**
 * Fills the tables of a new store with a large state after block 1: sorted random keys at random positions, and tiles
 * in which every node above a leaf is a random word instead of a hash. Reading it and building on it does the same work
 * as with a real state of that size; only its roots are meaningless. Real blocks may follow from block 2 on; block 1
 * cannot be unwound.
 */
export function fillSyntheticState(core: Core, store: Store, options: SyntheticStateOptions): void {
  new WorldState(core, store, genesisContent(V4, []));
  inTransactions(store, writeRows(openTables(store), options));
}

/** Runs a generator that yields after each row, in transactions of bounded size. */
function inTransactions(store: Store, work: Iterator<void>): void {
  const some = (): boolean => {
    for (let rows = 0; rows < ROWS_PER_TRANSACTION; rows++) if (work.next().done) return true;
    return false;
  };
  while (!store.transaction(some));
}

function* writeRows(tables: WorldStateTables, options: SyntheticStateOptions): Generator<void> {
  const random = new SeededBytes(options.seed ?? 1);
  const snapshots = [...readState(tables.states.get(blockKey(0))!)];
  const added = { [NULLIFIER_TREE]: options.nullifiers, [PUBLIC_DATA_TREE]: options.slots, [ARCHIVE]: 1 };
  for (const tree of [NULLIFIER_TREE, PUBLIC_DATA_TREE, ARCHIVE] as const) {
    if (added[tree] === 0) continue;
    const size = snapshots[tree].size + added[tree];
    if (tree === ARCHIVE) tables.leaves.put(positionKey(tree, size - 1), random.field());
    else yield* writeLeaves(tables, tree, added[tree], random);
    yield* writeTiles(tables, tree, size, random);
    tables.sizes.put(positionKey(tree, size), blockKey(1));
    snapshots[tree] = { root: random.field(), size };
  }
  tables.states.put(blockKey(1), stateBytes(snapshots));
  updateStatus(tables, { tip: 1, oldest: 1 });
}

/** 48-bit key prefixes in ascending order, all different and above those of genesis. */
function sortedPrefixes(count: number, random: SeededBytes): Float64Array {
  const prefixes = Float64Array.from({ length: count }, () => (random.u32() >>> 3) * 2 ** 16 + (random.u32() >>> 16));
  prefixes.sort();
  let last = 0;
  for (let i = 0; i < count; i++) prefixes[i] = last = Math.max(prefixes[i], last + 1);
  return prefixes;
}

function shuffled(count: number, random: SeededBytes): Uint32Array {
  const order = Uint32Array.from({ length: count }, (_, i) => i);
  for (let i = count - 1; i > 0; i--) {
    const k = random.below(i + 1);
    const swapped = order[i];
    order[i] = order[k];
    order[k] = swapped;
  }
  return order;
}

function* writeLeaves(
  tables: WorldStateTables,
  tree: typeof NULLIFIER_TREE | typeof PUBLIC_DATA_TREE,
  count: number,
  random: SeededBytes,
): Generator<void> {
  const prefixes = sortedPrefixes(count, random);
  const keys = new Uint8Array(count * 32);
  const view = new DataView(keys.buffer);
  for (let i = 0; i < count; i++) {
    random.fill(keys, i * 32, i * 32 + 32);
    view.setUint16(i * 32, Math.floor(prefixes[i] / 2 ** 32));
    view.setUint32(i * 32 + 2, prefixes[i] % 2 ** 32);
  }
  const positions = shuffled(count, random).map((k) => k + INITIAL_INDEXED_LEAVES);
  const rankAt = new Uint32Array(count);
  for (let i = 0; i < count; i++) rankAt[positions[i] - INITIAL_INDEXED_LEAVES] = i;
  const key = (i: number) => keys.subarray(i * 32, i * 32 + 32);
  const next = (i: number) =>
    i < count ? { nextKey: key(i), nextIndex: positions[i] } : { nextKey: fr(0), nextIndex: 0 };

  const last = fr(INITIAL_INDEXED_LEAVES - 1);
  const lastKey = valueKey(tree, last);
  tables.keys.put(lastKey, leafBytes({ ...readLeaf(last, tables.keys.get(lastKey)!), ...next(0) }));
  const since = tree === PUBLIC_DATA_TREE ? 1 : undefined;
  // Keys that arrive in random order take 152 bytes of pages each, ascending ones 207, since pages split in the middle.
  // A quarter of them that come between the others make it 155.
  const isLate = Uint8Array.from({ length: count }, () => (random.below(4) === 0 ? 1 : 0));
  for (const late of [0, 1]) {
    for (let i = 0; i < count; i++) {
      if (isLate[i] !== late) continue;
      const value = tree === PUBLIC_DATA_TREE ? random.field() : undefined;
      // All leaves came with block 1, between the last leaf of genesis and the end of the list.
      const before = { lowBefore: INITIAL_INDEXED_LEAVES - 1, nextBefore: 0 };
      const row = leafBytes({ index: positions[i], key: key(i), ...next(i + 1), ...before, value, since });
      tables.keys.put(valueKey(tree, key(i)), row);
      yield;
    }
  }
  for (let k = 0; k < count; k++) {
    tables.leaves.put(positionKey(tree, INITIAL_INDEXED_LEAVES + k), key(rankAt[k]));
    yield;
  }
}

function* writeTiles(tables: WorldStateTables, tree: TreeId, size: number, random: SeededBytes): Generator<void> {
  for (let level = 0; level < tileLevels(tree); level++) {
    const nodes = Math.ceil(size / 2 ** (level * TILE_HEIGHT));
    const height = tileHeightAt(tree, level);
    const tiles = Math.ceil(nodes / 2 ** height);
    for (let index = 0; index < tiles; index++) {
      const record = randomTile(height, Math.min(2 ** height, nodes - index * 2 ** height), random);
      const row = concat(blockKey(1), record);
      tables.tiles.put(tileKey(tree, level, index), row);
      yield;
    }
  }
}

/** Record of a tile with its first `present` bottom nodes in use (src/core/tile-record.ts). */
function randomTile(height: number, present: number, random: SeededBytes): Uint8Array {
  const record = new Uint8Array((2 << height) * 32);
  const bitmapBytes = Math.max(1, (2 << height) >> 3);
  let end = bitmapBytes;
  for (let depth = 1; depth <= height; depth++) {
    const width = Math.ceil(present / 2 ** (height - depth));
    for (let k = 0; k < width; k++, end += 32) {
      const node = 2 ** depth + k;
      record[node >> 3] |= 1 << (node & 7);
      random.fill(record, end, end + 32);
      record[end] &= 0x1f;
    }
  }
  return record.slice(0, end);
}
