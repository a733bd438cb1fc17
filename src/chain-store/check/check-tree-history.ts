import { isPartial } from "../../core/tile-record.ts";
import { equal, readU32 } from "../../protocol/bytes.ts";
import { PUBLIC_DATA_TREE, type TreeId } from "../../protocol/constants.ts";
import { blockKey, readPosition, valueKey } from "../../world-state/tables/row-keys.ts";
import { WORLD_STATE_TABLES } from "../../world-state/tables/tables.ts";
import { tileOfKey } from "../../world-state/tables/tile-address.ts";
import { readUndo, tilesOf } from "../../world-state/tables/undo-record.ts";
import { readVersioned } from "../../world-state/tables/versioned.ts";
import type { TileChecker } from "./check-tiles.ts";
import { type CheckReport, checkPart, checkRow } from "./fault.ts";
import type { StoredTrees } from "./stored-trees.ts";

const T = WORLD_STATE_TABLES;

/** Checks what is kept of earlier states: undo records, ended versions of tiles and values, sizes by block. */
export class TreeHistoryChecker {
  readonly #trees: StoredTrees;
  readonly #report: CheckReport;
  readonly #tiles: TileChecker;

  constructor(trees: StoredTrees, report: CheckReport, tiles: TileChecker) {
    this.#trees = trees;
    this.#report = report;
    this.#tiles = tiles;
  }

  /** `oldest` and `tip` are the first and the last block whose states are kept. */
  check(oldest: number, tip: number): void {
    // Pruning the states before `oldest` takes its undo row too: nothing unwinds to a state before it.
    const firstUndo = oldest <= 1 ? 1 : oldest + 1;
    this.#report.stage("earlier states", tip - firstUndo + 1);
    for (let block = firstUndo; block <= tip; block++) {
      this.#undo(block);
      this.#report.step();
    }
    checkPart(this.#report, T.tileHistory, () => this.#tileHistory());
    checkPart(this.#report, T.valueHistory, () => this.#valueHistory());
    checkPart(this.#report, T.sizes, () => this.#sizes());
  }

  #undo(block: number): void {
    checkRow(this.#report, T.undo, block, () => {
      const row = this.#trees.tables.undo.get(blockKey(block));
      if (row === undefined) return "is missing";
      const undo = readUndo(row);
      const bytes = 12 + undo.tiles.length + undo.slots.length * 32 + undo.earlierPositions.length * 39;
      if (row.length !== bytes) return `has ${row.length} bytes, its counts give ${bytes}`;
      for (const key of tilesOf(undo)) {
        const record = this.#trees.record(key, block);
        const rule = record === undefined ? "is missing" : this.#tiles.brokenRule(key, record, block);
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
    for (const { key, value } of this.#trees.tables.tileHistory.range({})) {
      checkRow(this.#report, T.tileHistory, key, () => {
        const { since, bytes } = readVersioned(value);
        const last = readU32(key, 7);
        const follows = before !== undefined && equal(before.key, key.subarray(0, 7)) ? before.last + 1 : undefined;
        before = { key: key.slice(0, 7), last };
        if (since > last) return "ends before it begins";
        if (follows !== undefined && since !== follows)
          return `begins with block ${since}, the version before ends before block ${follows}`;
        const { tree, level } = tileOfKey(key);
        if (!isPartial(bytes)) this.#trees.dense(tree, level, bytes);
        return undefined;
      });
    }
  }

  #valueHistory(): void {
    for (const { key, value } of this.#trees.tables.valueHistory.range({})) {
      checkRow(this.#report, T.valueHistory, key, () => {
        if (value.length !== 36) return `has ${value.length} bytes instead of 36`;
        if (readU32(value, 0) > readU32(key, 32)) return "ends before it begins";
        return this.#trees.tables.keys.has(valueKey(PUBLIC_DATA_TREE, key.subarray(0, 32)))
          ? undefined
          : "is of a slot that is not there";
      });
    }
  }

  #sizes(): void {
    for (const { key, value } of this.#trees.tables.sizes.range({})) {
      checkRow(this.#report, T.sizes, key, () => {
        const tree = key[0] as TreeId;
        const block = readU32(value, 0);
        const size = readPosition(key, 1);
        const after = this.#trees.snapshots(block)?.[tree].size;
        const before = block === 0 ? -1 : (this.#trees.snapshots(block - 1)?.[tree].size ?? -1);
        return after === size && before < size ? undefined : `block ${block} is not the first with ${size} leaves`;
      });
    }
  }
}
