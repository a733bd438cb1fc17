import { readU32, writeU32 } from "../../protocol/bytes.ts";
import { TREE_IDS } from "../../protocol/constants.ts";
import { blockKey, historyKey } from "../tables/row-keys.ts";
import { inSteps } from "../tables/steps.ts";
import { TILE_KEY_BYTES, writeTileKey } from "../tables/tile-address.ts";
import { changedTiles, replacedSlots } from "./changed-rows.ts";
import { MAX_TOGETHER, type UndoSpace, undoneBlocks } from "./undone-blocks.ts";

/**
 * Drops the versions that ended before `block`, or those of as many blocks from `oldest` on as may be gone through
 * together. Returns the oldest block that can be read afterwards. Runs inside a transaction.
 */
export function pruneHistory(
  { store, tables }: Pick<UndoSpace, "store" | "tables">,
  oldest: number,
  block: number,
  most = MAX_TOGETHER,
): number {
  const version = new Uint8Array(TILE_KEY_BYTES + 4);
  const blocks = undoneBlocks(tables, upTo(Math.max(oldest, 1), block), most);
  for (const tree of TREE_IDS) {
    inSteps(store, changedTiles(tree, blocks), ({ level, index, blocks }) => {
      writeTileKey(version, tree, level, index);
      for (const changed of blocks) {
        writeU32(version, TILE_KEY_BYTES, changed - 1);
        tables.tileHistory.remove(version);
      }
    });
  }
  inSteps(store, replacedSlots(blocks), ({ key, blocks }) => {
    for (const changed of blocks) tables.valueHistory.remove(historyKey(key, changed - 1));
  });
  for (const { block } of blocks) tables.undo.remove(blockKey(block));
  const left = tables.undo.atOrAfter(blockKey(Math.max(oldest, 1)));
  return left === undefined ? block : Math.min(block, readU32(left.key, 0) - 1);
}

function* upTo(first: number, last: number): Generator<number> {
  for (let block = first; block <= last; block++) yield block;
}
