import { mapKey, readUint } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";
import { inOrderOfKeys } from "../tables/sorted-keys.ts";
import { TILE_KEY_BYTES } from "../tables/tile-address.ts";
import type { UndoneBlock } from "./undone-blocks.ts";

/** A tile, and the blocks among those given that changed it, ascending. */
export interface ChangedTile {
  level: number;
  index: number;
  blocks: number[];
}

/** A slot, and the blocks among those given that replaced its value, ascending. */
interface ReplacedSlot {
  key: Uint8Array;
  blocks: number[];
}

/** Indexes of tiles are below 2^38, levels below 2^4; a number has 53 bits, so 11 are left for the block. */
const INDEX = 2 ** 38;
const BLOCK = 2 ** 11;

/** The tiles of a tree that blocks changed, in order of their keys. There must be at most 2^11 blocks. */
export function changedTiles(tree: TreeId, blocks: readonly UndoneBlock[]): ChangedTile[] {
  const numbers: number[] = [];
  for (const [i, { undo }] of blocks.entries()) {
    const { tiles } = undo;
    for (let at = 0; at < tiles.length; at += TILE_KEY_BYTES) {
      if (tiles[at] === tree) numbers.push((tiles[at + 1] * INDEX + readUint(tiles, at + 2, 5)) * BLOCK + i);
    }
  }
  const tiles: ChangedTile[] = [];
  let last = -1;
  // The order of the numbers is that of the keys (writeTileKey), and of the blocks.
  for (const number of Float64Array.from(numbers).sort()) {
    const id = Math.floor(number / BLOCK);
    if (id !== last) tiles.push({ level: Math.floor(id / INDEX), index: id % INDEX, blocks: [] });
    tiles[tiles.length - 1].blocks.push(blocks[number % BLOCK].block);
    last = id;
  }
  return tiles;
}

/** The slots whose values blocks replaced, in order. */
export function replacedSlots(blocks: readonly UndoneBlock[]): ReplacedSlot[] {
  const slots = new Map<string, ReplacedSlot>();
  for (const { block, undo } of blocks) {
    for (const slot of undo.slots) {
      const name = mapKey(slot);
      const replaced = slots.get(name);
      if (replaced === undefined) slots.set(name, { key: slot, blocks: [block] });
      else replaced.blocks.push(block);
    }
  }
  return inOrderOfKeys(slots.values());
}
