import { mapKey } from "../../protocol/bytes.ts";
import type { TreeId } from "../../protocol/constants.ts";
import { positionBytes, positionKey, readPosition, valueKey } from "../tables/row-keys.ts";
import { inOrderOfKeys } from "../tables/sorted-keys.ts";
import { inSteps } from "../tables/steps.ts";
import { leavesFrom } from "./leaves-from.ts";
import type { UndoneBlock, UndoSpace } from "./undone-blocks.ts";

/** Removes the leaves of an append-only tree at positions >= `size`; their values are found where they were before. */
export function removeAppended(
  { store, tables }: UndoSpace,
  tree: TreeId,
  size: number,
  blocks: readonly UndoneBlock[],
): void {
  const leaves = [...leavesFrom(tables, tree, size)];
  inSteps(store, leaves, ({ position }) => tables.leaves.remove(positionKey(tree, position)));

  const earlier = earlierPositions(tree, size, blocks);
  const values = inOrderOfKeys(leaves.map(({ value, position }) => ({ key: value, position })));
  inSteps(store, values, ({ key: value }) => {
    const key = valueKey(tree, value);
    const before = earlier.get(mapKey(value));
    if (before !== undefined) {
      tables.positions.put(key, positionBytes(before));
      return;
    }
    const row = tables.positions.get(key);
    if (row !== undefined && readPosition(row) >= size) tables.positions.remove(key);
  });
}

/** Positions below `size` of values that the blocks appended again. */
function earlierPositions(tree: TreeId, size: number, blocks: readonly UndoneBlock[]): Map<string, number> {
  const positions = new Map<string, number>();
  for (const { undo } of blocks) {
    for (const { tree: own, value, position } of undo.earlierPositions) {
      if (own === tree && position < size) positions.set(mapKey(value), position);
    }
  }
  return positions;
}
