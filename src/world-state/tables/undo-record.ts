import { concat, readU32, writeU32 } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";
import { positionBytes, readPosition, valueKey } from "./row-keys.ts";
import { TILE_KEY_BYTES } from "./tile-address.ts";

/**
 * What unwinding a block needs and no other row tells: the tiles that it wrote, the slots whose values it replaced, and
 * the earlier position of each value that it appended again. Layout: three counts of 4 bytes; tile keys, 7 each; slots,
 * 32 each; then tree 1 | value 32 | earlier position 6 each.
 */
export interface UndoRecord {
  /** Keys of 7 bytes, one after the other. */
  tiles: Uint8Array;
  slots: Uint8Array[];
  earlierPositions: { tree: TreeId; value: Uint8Array; position: number }[];
}

export function undoBytes({ tiles, slots, earlierPositions }: UndoRecord): Uint8Array {
  const counts = new Uint8Array(12);
  writeU32(counts, 0, tiles.length / TILE_KEY_BYTES);
  writeU32(counts, 4, slots.length);
  writeU32(counts, 8, earlierPositions.length);
  const earlier = earlierPositions.flatMap(({ tree, value, position }) => [
    valueKey(tree, value),
    positionBytes(position),
  ]);
  return concat(counts, tiles, ...slots, ...earlier);
}

export function readUndo(row: Uint8Array): UndoRecord {
  let at = 12;
  const take = (count: number, width: number) =>
    Array.from({ length: count }, () => {
      at += width;
      return row.subarray(at - width, at);
    });
  const tileBytes = readU32(row, 0) * TILE_KEY_BYTES;
  at += tileBytes;
  return {
    tiles: row.subarray(12, 12 + tileBytes),
    slots: take(readU32(row, 4), 32),
    earlierPositions: take(readU32(row, 8), 39).map((item) => ({
      tree: item[0] as TreeId,
      value: item.subarray(1, 33),
      position: readPosition(item, 33),
    })),
  };
}

/** Keys of the tiles that a block wrote. */
export function tilesOf({ tiles }: UndoRecord): Uint8Array[] {
  return Array.from({ length: tiles.length / TILE_KEY_BYTES }, (_, i) =>
    tiles.subarray(i * TILE_KEY_BYTES, (i + 1) * TILE_KEY_BYTES),
  );
}
