import type { ChainStore } from "../../../archiver/chain-store.ts";
import type { Core } from "../../../core/core.ts";
import { isPartial, unpackTile } from "../../../core/tile-record.ts";
import { headerSnapshot } from "../../../protocol/block-header.ts";
import { equal, isZero, readU32 } from "../../../protocol/bytes.ts";
import { ARCHIVE, NULLIFIER_TREE, PUBLIC_DATA_TREE, TREE_IDS, type TreeId } from "../../../protocol/constants.ts";
import type { Store } from "../../../storage/store.ts";
import { preimageBytes, writePreimage } from "../../../world-state/indexed-overlay.ts";
import { oldTile } from "../../../world-state/old-tile.ts";
import type { IndexedTree } from "../../../world-state/state-view.ts";
import { leafRowBytes, readLeaf } from "../../../world-state/tables/leaf-row.ts";
import { blockKey, positionKey, readPosition, valueKey } from "../../../world-state/tables/row-keys.ts";
import { readState, type Snapshots, STATE_BYTES } from "../../../world-state/tables/state-row.ts";
import { parseStatus, readStatusRow, STATUS_BYTES } from "../../../world-state/tables/status-row.ts";
import { openTables, WORLD_STATE_TABLES, type WorldStateTables } from "../../../world-state/tables/tables.ts";
import { readUndo, tilesOf } from "../../../world-state/tables/undo-record.ts";
import { readVersioned } from "../../../world-state/tables/versioned.ts";
import {
  parentOf,
  TILE_HEIGHT,
  TILE_WIDTH,
  tileHeightAt,
  tileKey,
  tileLevels,
  tileOfKey,
} from "../../../world-state/tile-address.ts";
import type { WorldStateStatus } from "../../../world-state/types.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";

const T = WORLD_STATE_TABLES;
const isIndexed = (tree: TreeId): tree is IndexedTree => tree === NULLIFIER_TREE || tree === PUBLIC_DATA_TREE;

export interface TreesCheck {
  store: Store;
  chain: ChainStore;
  core: Core;
}

/**
 * Checks the trees: every tile hashes to its node in the tile above and the topmost to the root of its state, now and in each state that is
 * kept; leaves are what the tiles hold; roots are those of the block headers; indexes lead to what they are indexes of.
 */
export class TreesChecker {
  readonly #parts: TreesCheck;
  readonly #report: CheckReport;
  readonly #tables: WorldStateTables;
  readonly #status: WorldStateStatus;
  readonly #states = new Map<number, Snapshots | undefined>();
  /** Leaves that are not empty. */
  #occupied = 0;
  /** The bottom tile that was looked at last. */
  #bottom: { tree: TreeId; index: number; tile: Uint8Array } | undefined;

  constructor(parts: TreesCheck, report: CheckReport) {
    this.#parts = parts;
    this.#report = report;
    this.#tables = openTables(parts.store);
    const row = new Uint8Array(STATUS_BYTES);
    readStatusRow(this.#tables, row);
    this.#status = parseStatus(row);
  }

  run(): void {
    const report = this.#report;
    const { tip, oldest } = this.#status;
    const last = this.#parts.chain.latestBlockNumber();
    if (tip !== last)
      report.fault({ table: T.meta, key: "status", rule: `its tip is block ${tip}, the chain ends at ${last}` });
    report.stage("states", tip);
    for (let block = 0; block <= tip; block++) {
      this.#state(block);
      report.step();
    }
    const sizes = this.#snapshots(tip);
    let tiles = 0;
    for (const _ of this.#tables.tiles.scan({})) tiles++;
    report.stage("tiles", tiles);
    checkPart(report, T.tiles, () => {
      for (const { key, value } of this.#tables.tiles.range({})) this.#tile(key, value, tip);
    });
    report.stage("leaves", this.#occupied);
    checkPart(report, T.leaves, () => this.#leaves(sizes));
    checkPart(report, T.positions, () => this.#positions());
    checkPart(report, T.keys, () => this.#keys());
    // Pruning the states before `oldest` takes its undo row too: nothing unwinds to a state before it.
    const firstUndo = oldest <= 1 ? 1 : oldest + 1;
    report.stage("earlier states", tip - firstUndo + 1);
    for (let block = firstUndo; block <= tip; block++) {
      this.#undo(block);
      report.step();
    }
    checkPart(report, T.tileHistory, () => this.#tileHistory());
    checkPart(report, T.valueHistory, () => this.#valueHistory());
    checkPart(report, T.sizes, () => this.#sizes());
  }

  #snapshots(block: number): Snapshots | undefined {
    const row = this.#tables.states.get(blockKey(block));
    return row?.length === STATE_BYTES ? readState(row) : undefined;
  }

  #state(block: number): void {
    const { chain } = this.#parts;
    checkRow(this.#report, T.states, block, () => {
      const snapshots = this.#snapshots(block);
      if (snapshots === undefined) return "is missing or has another length";
      const record = block === 0 ? undefined : chain.block(block);
      if (record === undefined) return undefined;
      for (const tree of TREE_IDS) {
        const { root, size } = snapshots[tree];
        if (tree === ARCHIVE) {
          if (!equal(root, record.archiveRoot) || size !== block + 1) return "its archive is not that of the block";
          const leaf = this.#tables.leaves.get(positionKey(ARCHIVE, block));
          if (leaf === undefined || !equal(leaf, record.hash)) return "the archive's leaf is not the block's hash";
        } else {
          const header = headerSnapshot(record.header, tree);
          if (!equal(root, header.root) || size !== header.size) return `its tree ${tree} is not that of the header`;
        }
      }
      return undefined;
    });
  }

  /** Record of a tile as it was after a block. */
  #record(key: Uint8Array, block: number): Uint8Array | undefined {
    const row = this.#tables.tiles.get(key);
    if (row !== undefined && readU32(row, 0) <= block) return readVersioned(row).bytes;
    return oldTile(this.#tables, key, block)?.bytes;
  }

  #dense(tree: TreeId, level: number, record: Uint8Array | undefined): Uint8Array {
    const { zeroHashes } = this.#parts.core;
    return unpackTile(record, tileHeightAt(tree, level), level * TILE_HEIGHT, zeroHashes);
  }

  #tile(key: Uint8Array, row: Uint8Array, block: number): void {
    checkRow(this.#report, T.tiles, key, () => {
      if (key[0] >= TREE_IDS.length || key[1] >= tileLevels(key[0] as TreeId)) return "names no tile of any tree";
      const { since, bytes } = readVersioned(row);
      if (since > block) return `is of block ${since}, which is not there`;
      return this.#hashed(key, bytes, block) ?? this.#missingLeaf(key, bytes);
    });
    this.#report.step();
  }

  /** Leaves that are not empty have a row each. */
  #missingLeaf(key: Uint8Array, record: Uint8Array): string | undefined {
    const { tree, level, index } = tileOfKey(key);
    if (level > 0) return undefined;
    const tile = this.#dense(tree, 0, record);
    for (let i = 0; i < TILE_WIDTH; i++) {
      if (isZero(tile.subarray((TILE_WIDTH + i) * 32, (TILE_WIDTH + i + 1) * 32))) continue;
      this.#occupied++;
      const position = index * TILE_WIDTH + i;
      if (!this.#tables.leaves.has(positionKey(tree, position))) return `its leaf ${position} has no row`;
    }
    return undefined;
  }

  /** The rule that a whole tile breaks. */
  #hashed(key: Uint8Array, record: Uint8Array, block: number): string | undefined {
    const { core } = this.#parts;
    const { tree, level, index } = tileOfKey(key);
    const height = tileHeightAt(tree, level);
    const tile = this.#dense(tree, level, record);
    const hashed = tile.slice();
    core.rehashTiles([hashed], Uint32Array.of(2 ** (2 ** height) - 1), height);
    if (!equal(hashed.subarray(64), tile.subarray(64))) return "its inner nodes are not the hashes of its bottom nodes";
    const root = hashed.subarray(32, 64);
    if (level + 1 === tileLevels(tree)) {
      const state = this.#cachedState(block);
      return state !== undefined && equal(root, state[tree].root)
        ? undefined
        : `does not hash to the root of block ${block}`;
    }
    const { tile: above, bottom } = parentOf(index);
    const parent = this.#dense(tree, level + 1, this.#record(tileKey(tree, level + 1, above), block));
    const at = (2 ** tileHeightAt(tree, level + 1) + bottom) * 32;
    return equal(root, parent.subarray(at, at + 32)) ? undefined : "does not hash to its node in the tile above";
  }

  #cachedState(block: number): Snapshots | undefined {
    if (!this.#states.has(block)) {
      this.#states.clear();
      this.#states.set(block, this.#snapshots(block));
    }
    return this.#states.get(block);
  }

  /** Bottom node of the current trees at a position. */
  #node(tree: TreeId, position: number): Uint8Array {
    const index = Math.floor(position / TILE_WIDTH);
    if (this.#bottom?.tree !== tree || this.#bottom.index !== index) {
      const row = this.#tables.tiles.get(tileKey(tree, 0, index));
      this.#bottom = { tree, index, tile: this.#dense(tree, 0, row && readVersioned(row).bytes) };
    }
    const at = (TILE_WIDTH + (position % TILE_WIDTH)) * 32;
    return this.#bottom.tile.subarray(at, at + 32);
  }

  #leaves(sizes: Snapshots | undefined): void {
    for (const { key, value } of this.#tables.leaves.range({})) {
      checkRow(this.#report, T.leaves, key, () => {
        const tree = key[0] as TreeId;
        if (!TREE_IDS.includes(tree) || key.length !== 7 || value.length !== 32) return "is no leaf of any tree";
        const position = readPosition(key, 1);
        if (sizes !== undefined && position >= sizes[tree].size) return "lies behind the end of its tree";
        const node = this.#node(tree, position);
        return isIndexed(tree)
          ? this.#indexedLeaf(tree, position, value, node)
          : equal(node, value)
            ? undefined
            : "is not the node of its tile";
      });
      this.#report.step();
    }
  }

  #indexedLeaf(tree: IndexedTree, position: number, key: Uint8Array, node: Uint8Array): string | undefined {
    if (isZero(node)) return undefined;
    const row = this.#tables.keys.get(valueKey(tree, key));
    if (row === undefined || row.length !== leafRowBytes(tree))
      return "has no row of its key, or one of another length";
    const leaf = readLeaf(key, row);
    if (leaf.index !== position) return `the row of its key names leaf ${leaf.index}`;
    const preimage = new Uint8Array(preimageBytes(tree));
    writePreimage(leaf, preimage, 0);
    return equal(this.#parts.core.hashMany(preimage, preimage.length / 32), node)
      ? undefined
      : "the row of its key does not hash to the node of its tile";
  }

  #positions(): void {
    for (const { key, value } of this.#tables.positions.range({})) {
      checkRow(this.#report, T.positions, key, () => {
        const leaf = this.#tables.leaves.get(positionKey(key[0] as TreeId, readPosition(value)));
        return leaf !== undefined && equal(leaf, key.subarray(1)) ? undefined : "does not lead to a leaf of its value";
      });
    }
  }

  #keys(): void {
    for (const { key, value } of this.#tables.keys.range({})) {
      checkRow(this.#report, T.keys, key, () => {
        const tree = key[0] as TreeId;
        if (!isIndexed(tree) || value.length !== leafRowBytes(tree)) return "is no leaf of an indexed tree";
        const { index, lowBefore, nextBefore } = readLeaf(key.subarray(1), value);
        const leaf = this.#tables.leaves.get(positionKey(tree, index));
        if (leaf === undefined || !equal(leaf, key.subarray(1))) return `leaf ${index} is not that key`;
        // Neighbours came before the leaf did; those of genesis are not followed.
        return index > 0 && lowBefore > 0 && (lowBefore >= index || nextBefore >= index)
          ? "names a neighbour that came later"
          : undefined;
      });
    }
  }

  #undo(block: number): void {
    checkRow(this.#report, T.undo, block, () => {
      const row = this.#tables.undo.get(blockKey(block));
      if (row === undefined) return "is missing";
      const undo = readUndo(row);
      const bytes = 12 + undo.tiles.length + undo.slots.length * 32 + undo.earlierPositions.length * 39;
      if (row.length !== bytes) return `has ${row.length} bytes, its counts give ${bytes}`;
      for (const key of tilesOf(undo)) {
        const record = this.#record(key, block);
        const rule = record === undefined ? "is missing" : this.#hashed(key, record, block);
        if (rule !== undefined)
          this.#report.fault({
            table: T.tileHistory,
            key: `${Buffer.from(key).toString("hex")} after block ${block}`,
            rule,
          });
      }
      return undefined;
    });
  }

  /** The versions of a tile follow one another: each begins with the block after the one before. */
  #tileHistory(): void {
    let before: { key: Uint8Array; last: number } | undefined;
    for (const { key, value } of this.#tables.tileHistory.range({})) {
      checkRow(this.#report, T.tileHistory, key, () => {
        const { since, bytes } = readVersioned(value);
        const last = readU32(key, 7);
        const follows = before !== undefined && equal(before.key, key.subarray(0, 7)) ? before.last + 1 : undefined;
        before = { key: key.slice(0, 7), last };
        if (since > last) return "ends before it begins";
        if (follows !== undefined && since !== follows)
          return `begins with block ${since}, the version before ends before block ${follows}`;
        const { tree, level } = tileOfKey(key);
        if (!isPartial(bytes)) this.#dense(tree, level, bytes);
        return undefined;
      });
    }
  }

  #valueHistory(): void {
    for (const { key, value } of this.#tables.valueHistory.range({})) {
      checkRow(this.#report, T.valueHistory, key, () => {
        if (value.length !== 36) return `has ${value.length} bytes instead of 36`;
        if (readU32(value, 0) > readU32(key, 32)) return "ends before it begins";
        return this.#tables.keys.has(valueKey(PUBLIC_DATA_TREE, key.subarray(0, 32)))
          ? undefined
          : "is of a slot that is not there";
      });
    }
  }

  #sizes(): void {
    for (const { key, value } of this.#tables.sizes.range({})) {
      checkRow(this.#report, T.sizes, key, () => {
        const tree = key[0] as TreeId;
        const block = readU32(value, 0);
        const size = readPosition(key, 1);
        const after = this.#snapshots(block)?.[tree].size;
        const before = block === 0 ? -1 : (this.#snapshots(block - 1)?.[tree].size ?? -1);
        return after === size && before < size ? undefined : `block ${block} is not the first with ${size} leaves`;
      });
    }
  }
}
