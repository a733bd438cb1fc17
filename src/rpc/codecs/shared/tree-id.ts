import { TREE_IDS } from "../../../protocol/constants.ts";
import { typed } from "../json/codec.ts";
import { oneOf } from "../json/number.ts";

/** A tree by its number; names and numbers as text are rejected. */
export const treeId = typed(
  oneOf(TREE_IDS),
  "MerkleTreeId",
  "A tree: 0 nullifiers, 1 note hashes, 2 public data, 3 messages from L1, 4 archive of block hashes.",
);
