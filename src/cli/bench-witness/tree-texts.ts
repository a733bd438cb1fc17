/** Names of the trees on the command line. */
export const TREE_TEXTS = ["nullifier", "public-data", "note-hash", "l1-to-l2", "archive"] as const;

export type TreeText = (typeof TREE_TEXTS)[number];
