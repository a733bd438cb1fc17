import { concat } from "../../protocol/bytes.ts";
import { hashAfter, type Separator } from "../../protocol/generations/hashing.ts";
import { unbalancedRoot } from "../../protocol/sha-trees.ts";
import type { Core } from "../core.ts";

/**
 * blockHeadersHash of a checkpoint header: root of the unbalanced Poseidon2 tree over the block hashes, with the
 * separator of its nodes (docs/protocol/02-trees.md#220-balanced-and-unbalanced-trees). One block: its hash; no block:
 * zero.
 */
export function blockHeadersHash(core: Core, blockHashes: Uint8Array[], nodes?: Separator): Uint8Array {
  return unbalancedRoot(blockHashes, false, (left, right) => hashAfter(core, nodes, concat(left, right)));
}
