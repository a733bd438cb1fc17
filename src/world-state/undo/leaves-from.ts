import type { TreeId } from "../../protocol/constants.ts";
import { positionKey, readPosition } from "../tables/row-keys.ts";
import type { WorldStateTables } from "../tables/tables.ts";
import { copyWord } from "../tables/word-copies.ts";

interface FoundLeaf {
  position: number;
  /** The value, or the key of an indexed leaf. */
  value: Uint8Array;
}

/** Leaves of a tree at positions >= `size`, in order. */
export function* leavesFrom(tables: WorldStateTables, tree: TreeId, size: number): Generator<FoundLeaf> {
  const end = positionKey((tree + 1) as TreeId, 0);
  for (const { key, value } of tables.leaves.scan({ start: positionKey(tree, size), end })) {
    yield { position: readPosition(key, 1), value: copyWord(value, 0) };
  }
}
