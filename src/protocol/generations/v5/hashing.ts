import type { HashingRules } from "../hashing.ts";
import { SEPARATOR } from "./separators.ts";

/** Every inner node has a separator, leaves have none (docs/protocol/02-trees.md#22-nodes-and-empty-subtrees). */
export const HASHING: HashingRules = {
  // Nullifiers, note hashes, public data, messages from L1, archive.
  treeNodes: [
    SEPARATOR.NULLIFIER_MERKLE,
    SEPARATOR.MERKLE_HASH,
    SEPARATOR.PUBLIC_DATA_MERKLE,
    SEPARATOR.MERKLE_HASH,
    SEPARATOR.MERKLE_HASH,
  ],
  functionNodes: SEPARATOR.MERKLE_HASH,
  blockHeaderNodes: SEPARATOR.BLOCK_HEADERS_HASH,
  blobs: {
    challenge: SEPARATOR.BLOB_CHALLENGE_Z,
    challenges: SEPARATOR.BLOB_Z_ACC,
    value: SEPARATOR.BLOB_HASHED_Y_LIMBS,
    values: SEPARATOR.BLOB_GAMMA_ACC,
    gamma: SEPARATOR.BLOB_GAMMA_FINAL,
  },
};
