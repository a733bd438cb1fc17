import type { Core, Merkle } from "../../core/core.ts";
import { TREE_IDS } from "../../protocol/constants.ts";
import type { HashingRules } from "../../protocol/generations/hashing.ts";

/** Hashing of each tree's inner nodes, by tree id. */
export type TreeNodes = readonly Merkle[];

export function treeNodes(core: Core, separators: HashingRules["treeNodes"]): TreeNodes {
  return TREE_IDS.map((tree) => core.merkle(separators[tree]));
}
