import {
  BLOCK_HEADER_BYTES,
  type BlockHeader,
  HEADER_AT,
  HEADER_SNAPSHOT_AT,
  headerSlotNumber,
  headerTimestamp,
} from "../protocol/block-header.ts";
import { bigUintBytes, readBigUint, writeU32, writeUint } from "../protocol/bytes.ts";
import { TREE_IDS, type TreeId } from "../protocol/constants.ts";
import type { TreeSnapshot } from "../world-state/tables/state-row.ts";
import type { BuildServices, CheckpointTerms } from "./checkpoint-terms.ts";

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

/** For builders that execute blocks again and complete no checkpoint. */
export const NO_KZG: BuildServices["kzg"] = { commitment: () => Promise.reject(new Error("no blobs are made")) };

/**
 * The terms under which a block was built, from its header: what only L1 can judge is taken as the header says
 * (docs/protocol/08-building-and-checkpoints.md#87-terms-of-a-checkpoint).
 */
export function termsOfHeader(
  header: BlockHeader,
  others: Pick<CheckpointTerms, "checkpointNumber" | "parentBlock" | "chainId" | "version" | "limits">,
): CheckpointTerms {
  return {
    ...others,
    slot: headerSlotNumber(header),
    timestamp: Number(headerTimestamp(header)),
    coinbase: header.slice(HEADER_AT.coinbase, HEADER_AT.feeRecipient),
    feeRecipient: header.slice(HEADER_AT.feeRecipient, HEADER_AT.feePerDaGas),
    gasFees: {
      feePerDaGas: readBigUint(header, HEADER_AT.feePerDaGas, 16),
      feePerL2Gas: readBigUint(header, HEADER_AT.feePerL2Gas, 16),
    },
  };
}
