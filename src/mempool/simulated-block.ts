import type { BlockRecord } from "../archiver/tables/records.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT, headerSlotNumber } from "../protocol/block-header.ts";
import { bigUintBytes, writeU32, writeUint } from "../protocol/bytes.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import { fr } from "../protocol/field.ts";
import { slotAt, slotTimestamp } from "../protocol/time.ts";

interface NextBlock {
  identity: RollupIdentity;
  /** The previous block, and whether its checkpoint is on L1. */
  latest: BlockRecord;
  isCheckpointed: boolean;
  /** Seconds: timestamp of the latest known L1 block. */
  l1Time: number;
  gasFees: GasFees;
}

/** The slot of the next L1 block. */
function nextSlot({ identity: { constants }, l1Time }: Pick<NextBlock, "identity" | "l1Time">): number {
  return slotAt(l1Time + constants.ethereumSlotDuration, constants);
}

/** A header with only the global variables set. Coinbase and fee recipient are zero. */
function freshHeader({ identity, latest, gasFees }: NextBlock, slot: number): BlockHeader {
  const { constants, l1ChainId, rollupVersion } = identity;
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  header.set(fr(l1ChainId), HEADER_AT.chainId);
  header.set(fr(rollupVersion), HEADER_AT.version);
  writeU32(header, HEADER_AT.blockNumber, latest.number + 1);
  writeU32(header, HEADER_AT.slotNumber, slot);
  writeUint(header, HEADER_AT.timestamp + 2, 6, slotTimestamp(slot, constants));
  header.set(bigUintBytes(gasFees.feePerDaGas, 16), HEADER_AT.feePerDaGas);
  header.set(bigUintBytes(gasFees.feePerL2Gas, 16), HEADER_AT.feePerL2Gas);
  return header;
}

/** The block in which the release simulates: always in the slot of the next L1 block. */
export function releaseHeader(next: NextBlock): BlockHeader {
  return freshHeader(next, nextSlot(next));
}

/**
 * The block in which the development namespace simulates (docs/protocol/07-transactions-and-fees.md#727-simulation):
 * the next block of the checkpoint being built, with the global variables of the block before it. If none is being
 * built, the first block of a slot that has no checkpoint yet. A checkpoint whose slot is over on L1 is no longer being
 * built.
 */
export function developmentHeader(next: NextBlock): BlockHeader {
  const { latest, isCheckpointed } = next;
  const slot = nextSlot(next);
  if (latest.number === 0) return freshHeader(next, slot);
  const latestSlot = headerSlotNumber(latest.header);
  if (isCheckpointed || latestSlot < slot) return freshHeader(next, Math.max(slot, latestSlot + 1));
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  const globals = latest.header.subarray(HEADER_AT.chainId, HEADER_AT.totalFees);
  header.set(globals, HEADER_AT.chainId);
  writeU32(header, HEADER_AT.blockNumber, latest.number + 1);
  return header;
}
