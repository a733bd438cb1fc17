import type { HashingRules } from "../hashing.ts";

/** No separators: a node is H(left, right) (docs/protocol/02-trees.md#22-nodes-and-empty-subtrees). */
export const HASHING: HashingRules = {
  treeNodes: [undefined, undefined, undefined, undefined, undefined],
  functionNodes: undefined,
  blockHeaderNodes: undefined,
  blobs: { challenge: undefined, challenges: undefined, value: undefined, values: undefined, gamma: undefined },
};
