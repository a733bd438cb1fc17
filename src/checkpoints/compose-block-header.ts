import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT, HEADER_SNAPSHOT_AT } from "../protocol/block-header.ts";
import { bigUintBytes, writeU32, writeUint } from "../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { TreeSnapshot } from "../world-state/tables/state-row.ts";
import type { CheckpointTerms } from "./checkpoint-terms.ts";

/** The state trees after a block, and the archive before it. */
export type BlockTrees = Record<TreeId, TreeSnapshot>;

interface BlockSums {
  blockNumber: number;
  totalFees: Uint8Array;
  totalMana: number;
}

/**
 * A header with only the values that all blocks of the checkpoint share: the global variables except the block number.
 */
export function sharedHeader(terms: CheckpointTerms): BlockHeader {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  writeUint(header, HEADER_AT.chainId + 26, 6, terms.chainId);
  writeUint(header, HEADER_AT.version + 26, 6, terms.version);
  writeU32(header, HEADER_AT.slotNumber, terms.slot);
  writeUint(header, HEADER_AT.timestamp + 2, 6, terms.timestamp);
  header.set(terms.coinbase, HEADER_AT.coinbase);
  header.set(terms.feeRecipient, HEADER_AT.feeRecipient);
  header.set(bigUintBytes(terms.gasFees.feePerDaGas, 16), HEADER_AT.feePerDaGas);
  header.set(bigUintBytes(terms.gasFees.feePerL2Gas, 16), HEADER_AT.feePerL2Gas);
  return header;
}

/**
 * The complete header except for the blob sponge's hash, which covers words that repeat values of this header
 * (docs/protocol/08-building-and-checkpoints.md#812-closing-a-block).
 */
export function composeBlockHeader(shared: BlockHeader, trees: BlockTrees, sums: BlockSums): BlockHeader {
  const header = shared.slice();
  for (const tree of TREE_IDS) {
    header.set(trees[tree].root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, trees[tree].size);
  }
  writeU32(header, HEADER_AT.blockNumber, sums.blockNumber);
  header.set(sums.totalFees, HEADER_AT.totalFees);
  writeUint(header, HEADER_AT.totalManaUsed + 26, 6, sums.totalMana);
  return header;
}
