import type { BlockRecord } from "../../archiver/tables/records.ts";
import { HEADER_AT, headerSlotNumber } from "../../protocol/block-header.ts";
import { equal } from "../../protocol/bytes.ts";
import type { BlockProposal } from "../../protocol/consensus/block-proposal.ts";
import { type RefusedProposal, refused } from "./proposal-verdict.ts";

type Positioned = Pick<BlockProposal, "header" | "indexWithinCheckpoint">;

/**
 * The checkpoint that a proposed block belongs to, from its position after its parent
 * (docs/protocol/10-peers.md#1016-block-proposals). Parent 0 is genesis.
 */
export function proposedCheckpoint(
  { header, indexWithinCheckpoint: index }: Positioned,
  parent: BlockRecord,
): number | RefusedProposal {
  const slot = headerSlotNumber(header);
  const parentSlot = headerSlotNumber(parent.header);
  if (index === 0) {
    if (parent.number > 0 && slot <= parentSlot) {
      return refused(
        "invalid_proposal",
        `a checkpoint's first block in slot ${slot} follows one of slot ${parentSlot}`,
      );
    }
    return parent.checkpointNumber + 1;
  }
  if (parent.number === 0) return refused("invalid_proposal", `the first block of the chain has index ${index}`);
  if (index !== parent.indexWithinCheckpoint + 1) {
    return refused("invalid_proposal", `index ${index} follows a block of index ${parent.indexWithinCheckpoint}`);
  }
  if (slot !== parentSlot) {
    return refused("invalid_proposal", `a block of slot ${slot} continues a checkpoint of slot ${parentSlot}`);
  }
  const differing = SHARED.find(({ from, to }) => !equal(header.subarray(from, to), parent.header.subarray(from, to)));
  if (differing !== undefined) {
    return refused("global_variables_mismatch", `its ${differing.name} is not that of the checkpoint's earlier blocks`);
  }
  return parent.checkpointNumber;
}

/** Global variables that the blocks of a checkpoint share. */
const SHARED = [
  { name: "chain id", from: HEADER_AT.chainId, to: HEADER_AT.version },
  { name: "version", from: HEADER_AT.version, to: HEADER_AT.blockNumber },
  { name: "timestamp", from: HEADER_AT.timestamp, to: HEADER_AT.coinbase },
  { name: "coinbase", from: HEADER_AT.coinbase, to: HEADER_AT.feeRecipient },
  { name: "fee recipient", from: HEADER_AT.feeRecipient, to: HEADER_AT.feePerDaGas },
  { name: "gas fees", from: HEADER_AT.feePerDaGas, to: HEADER_AT.totalFees },
] as const;
