import { HEADER_AT } from "../protocol/block-header.ts";
import { readUint } from "../protocol/bytes.ts";
import { DA_GAS_PER_FIELD } from "../protocol/constants.ts";
import type { ProposedBlock } from "./checkpoint-terms.ts";

/** L2 gas billed to a block's txs. */
export function blockMana({ record }: ProposedBlock): number {
  return readUint(record.header, HEADER_AT.totalManaUsed + 26, 6);
}

/**
 * DA gas of a block as a checkpoint counts it: from the blob fields of its txs, not as metered
 * (docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint).
 */
export function blockDaGas({ body }: ProposedBlock): number {
  return (body.length / 32) * DA_GAS_PER_FIELD;
}

/**
 * Blob words of a checkpoint besides those of its txs: 6 at the end of each block, one more in the first block, and one
 * at the end (docs/protocol/03-blocks-and-blobs.md#311-grammar).
 */
export function endWords(blocks: number): number {
  return 6 * blocks + 2;
}
