import type { BlockRecord } from "../archiver/types.ts";
import type { RollupIdentity } from "../l1/types.ts";
import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT, headerSlotNumber } from "../protocol/block-header.ts";
import { bigUintBytes, writeU32, writeUint } from "../protocol/bytes.ts";
import type { GasFees } from "../protocol/fees/gas-fees.ts";
import { fr } from "../protocol/field.ts";
import { slotAt, slotTimestamp } from "../protocol/time.ts";

export interface NextBlock {
  identity: RollupIdentity;
  /** The block in front of it, and whether its checkpoint is on L1. */
  latest: BlockRecord;
  isCheckpointed: boolean;
  /** Seconds: of the latest L1 block that is known. */
  l1Time: number;
  gasFees: GasFees;
}

/** The slot that the next L1 block falls in. */
function nextSlot({ identity: { constants }, l1Time }: Pick<NextBlock, "identity" | "l1Time">): number {
  return slotAt(l1Time + constants.ethereumSlotDuration, constants);
}

/** A header with global variables alone, of a block in a slot that is paid to nobody. */
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

/** The block that the release simulates in: always one of the slot of the next L1 block. */
export function releaseHeader(next: NextBlock): BlockHeader {
  return freshHeader(next, nextSlot(next));
}

/**
 * The block that the development namespace simulates in (sheet 03 section 6.6): the next one of the checkpoint that is being built, with the
 * global variables of the block before it; where none is, the first of a slot that has no checkpoint yet. A checkpoint whose slot L1 has
 * left is not being built any more.
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
