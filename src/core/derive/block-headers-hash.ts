import { concat } from "../../protocol/bytes.ts";
import { unbalancedRoot } from "../../protocol/sha-trees.ts";
import type { Core } from "../core.ts";

/**
 * blockHeadersHash of a checkpoint header: root of the unbalanced Poseidon2 tree over the block hashes
 * (docs/protocol/02-trees.md#220-balanced-and-unbalanced-trees). One block: its hash; no block: zero.
 */
export function blockHeadersHash(core: Core, blockHashes: Uint8Array[]): Uint8Array {
  return unbalancedRoot(blockHashes, false, (left, right) => core.hash(concat(left, right)));
}
