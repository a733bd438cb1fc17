import { TREE_IDS } from "../../protocol/constants.ts";
import { oneOf } from "./number.ts";

/** A tree by its number; names and number text are refused. */
export const treeId = oneOf(TREE_IDS);
