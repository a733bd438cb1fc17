import type { Core, TileCache } from "../core/core.ts";
import type { BlockHeader } from "../protocol/block-header.ts";
import { equal, readU32 } from "../protocol/bytes.ts";
import { NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_HEIGHTS, TREE_IDS, type TreeId } from "../protocol/constants.ts";
import { FR_ZERO } from "../protocol/field.ts";
import { UnknownStateError, WorldStateError } from "./errors.ts";
import type { GenesisState } from "./genesis.ts";
import type { IndexedTree } from "./state-view.ts";
import { StoredState } from "./stored-state.ts";
import {
  positionKey,
  readStatus,
  STATE_BYTES,
  TILE_ROW_BYTES,
  type WorldStateTables,
  writeBlockKey,
} from "./tables.ts";
import { TILE_HEIGHT, TILE_KEY_BYTES, TILE_WIDTH, tileLevels, writeTileKey } from "./tile-address.ts";
import type { IndexedLeaf, TreeSnapshot, WorldStateReader, WorldStateStatus } from "./types.ts";

/** Tiles above the leaves that are kept: those of two trees of a million leaves take half of it. */
const CACHED_TILE_BYTES = 16 * 2 ** 20;
/** States whose snapshots are kept. */
const CACHED_STATES = 1024;

/** A kept block's state, known by its row: the same roots are the same trees, whatever happened to the chain in between. */
interface KnownState {
  /** Names the state in the tile cache. */
  id: number;
  row: Uint8Array;
  state: StoredState;
  /** Tile levels of each tree below which a leaf's path meets others. */
  levels: number[];
}

/** Levels of tiles that hold more than one path: above them one node covers all `size` leaves. */
function occupiedLevels(tree: TreeId, size: number): number {
  let level = 0;
  while (level < tileLevels(tree) && 2 ** (level * TILE_HEIGHT) < size) level++;
  return level;
}

/**
 * Reads of the trees from the store, in any thread that has it open. Everything kept between reads is bound to the row of its
 * state, which is read anew each time, so that it never outlives what a commit replaced.
 */
export class StateReader implements WorldStateReader {
  protected readonly core: Core;
  protected readonly tables: WorldStateTables;
  protected readonly genesis: GenesisState;
  readonly #known = new Map<number, KnownState>();
  #lastId = 0;
  #tiles: TileCache | undefined;
  readonly #stateKey = new Uint8Array(4);
  readonly #stateRow = new Uint8Array(STATE_BYTES);
  readonly #tileKey = new Uint8Array(TILE_KEY_BYTES);
  readonly #tileRow = new Uint8Array(TILE_ROW_BYTES);

  /** `tables` hold at least block 0, which is answered from `genesis`. */
  constructor(core: Core, tables: WorldStateTables, genesis: GenesisState) {
    this.core = core;
    this.tables = tables;
    this.genesis = genesis;
  }

  status(): WorldStateStatus {
    return readStatus(this.tables);
  }

  genesisHeader(): BlockHeader {
    return this.genesis.header;
  }

  genesisBlockHash(): Uint8Array {
    return this.genesis.hash;
  }

  /** The state after a kept block other than genesis. */
  #state(block: number): KnownState {
    const { tip, oldest } = this.status();
    if (block > tip || block < oldest) throw new UnknownStateError(block);
    writeBlockKey(this.#stateKey, block);
    if (this.tables.states.readInto(this.#stateKey, this.#stateRow) !== STATE_BYTES) throw new UnknownStateError(block);
    const known = this.#known.get(block);
    return known !== undefined && equal(known.row, this.#stateRow) ? known : this.#learn(block);
  }

  #learn(block: number): KnownState {
    const row = this.#stateRow.slice();
    const state = new StoredState(this.tables, block, row);
    const levels = TREE_IDS.map((tree) => occupiedLevels(tree, state.size(tree)));
    this.#lastId = (this.#lastId + 1) % 2 ** 32;
    const known = { id: this.#lastId, row, state, levels };
    if (this.#known.size >= CACHED_STATES) this.#known.delete(this.#known.keys().next().value as number);
    this.#known.set(block, known);
    return known;
  }

  snapshot(block: number, tree: TreeId): TreeSnapshot {
    if (block === 0) return this.genesis.fork.snapshot(tree);
    const { state } = this.#state(block);
    return { root: state.root(tree), size: state.size(tree) };
  }

  findLeaf(block: number, tree: TreeId, value: Uint8Array): number | undefined {
    if (block === 0) return this.genesis.fork.findLeaf(tree, value);
    const { state } = this.#state(block);
    if (tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE) return state.leaf(tree, value)?.index;
    return state.position(tree, value);
  }

  blockOfLeaf(tree: TreeId, position: number): number | undefined {
    const found = this.tables.sizes.atOrAfter(positionKey(tree, position + 1));
    if (found === undefined || found.key[0] !== tree) return undefined;
    return Math.min(Math.max(readU32(found.value, 0), 1), this.status().tip);
  }

  leafAt(block: number, tree: TreeId, position: number): Uint8Array {
    if (block === 0) return this.genesis.fork.leafAt(tree, position);
    return this.#state(block).state.leafAt(tree, position) ?? FR_ZERO;
  }

  siblingPath(block: number, tree: TreeId, position: number, out?: Uint8Array): Uint8Array {
    const bytes = TREE_HEIGHTS[tree] * 32;
    const path = out ?? new Uint8Array(bytes);
    if (block === 0) path.set(this.genesis.fork.siblingPath(tree, position));
    else this.#writePath(this.#state(block), tree, position, path);
    return path.length === bytes ? path : path.subarray(0, bytes);
  }

  #writePath({ id, state, levels }: KnownState, tree: TreeId, position: number, out: Uint8Array): void {
    this.#tiles ??= this.core.tileCache(CACHED_TILE_BYTES);
    // A path beyond the last leaf may meet occupied tiles on every level.
    const occupied = position < state.size(tree) ? levels[tree] : tileLevels(tree);
    let missing = this.#tiles.open(id, tree, position, occupied);
    for (let level = 0, index = position; missing !== 0; level++, missing >>>= 1) {
      index = Math.floor(index / TILE_WIDTH);
      if ((missing & 1) !== 0) this.#tiles.put(level, this.#tile(state, tree, level, index));
    }
    this.#tiles.close(TREE_HEIGHTS[tree], out, 0);
  }

  /** Record of a tile, valid until the next call; undefined for an empty one. */
  #tile(state: StoredState, tree: TreeId, level: number, index: number): Uint8Array | undefined {
    writeTileKey(this.#tileKey, tree, level, index);
    const length = this.tables.tiles.readInto(this.#tileKey, this.#tileRow);
    if (length < 0) return undefined;
    if (readU32(this.#tileRow, 0) <= state.block) return this.#tileRow.subarray(4, length);
    return state.olderTile(this.#tileKey)?.bytes;
  }

  leaf(block: number, tree: IndexedTree, key: Uint8Array): IndexedLeaf | undefined {
    if (block !== 0) return this.#state(block).state.leaf(tree, key);
    const { leaf, present } = this.genesis.fork.lowLeaf(tree, key);
    return present ? leaf : undefined;
  }

  lowLeaf(block: number, tree: IndexedTree, key: Uint8Array): { leaf: IndexedLeaf; present: boolean } {
    if (block === 0) return this.genesis.fork.lowLeaf(tree, key);
    const { state } = this.#state(block);
    // Only keys below every key of the tree have no low leaf; leaf 0 answers for them.
    const leaf = state.lowLeaf(tree, key) ?? state.lowLeaf(tree, state.leafAt(tree, 0) ?? FR_ZERO);
    if (leaf === undefined) throw new WorldStateError(`indexed tree ${tree} holds no leaf`);
    return { leaf, present: equal(leaf.key, key) };
  }
}
