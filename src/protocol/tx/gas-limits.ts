import { DA_GAS_PER_FIELD, MAX_FIELDS_PER_CHECKPOINT } from "../constants.ts";
import type { TransactionRules } from "../generations/transactions.ts";

/**
 * Maximum L2 gas that the public VM and the private part of one tx can use
 * (docs/protocol/07-transactions-and-fees.md#78-bounds-of-gas-limits).
 */
export const MAX_L2_GAS_PER_TX = 6_540_000;

/** End marker of the checkpoint, then the end fields of its first block. */
const RESERVED_FIELDS = 1 + 7;

/** Times in seconds. */
interface NetworkGeometry {
  slotDuration: number;
  ethereumSlotDuration: number;
  /** Undefined if a slot has one block. */
  blockDuration: number | undefined;
  rollupManaLimit: number;
}

/**
 * Maximum number of blocks of a checkpoint by the proposer's timetable
 * (docs/protocol/08-building-and-checkpoints.md#82-timetable). It excludes the time for publishing, because a pipelined
 * proposer publishes in the next slot.
 */
export function blocksPerCheckpoint(geometry: NetworkGeometry): number {
  const { slotDuration, ethereumSlotDuration, blockDuration } = geometry;
  if (blockDuration === undefined) return 1;
  const fast = ethereumSlotDuration < 8;
  const [initialise, assemble, propagate] = fast ? [0.5, 0.5, 0] : [1, 1, 2];
  const finalise = assemble + 2 * propagate;
  return Math.max(1, Math.floor((slotDuration - initialise - blockDuration - finalise) / blockDuration));
}

/**
 * Largest gas limits of a tx that every block can include: an even share of a checkpoint plus a margin
 * (docs/protocol/07-transactions-and-fees.md#78-bounds-of-gas-limits).
 */
export function txGasLimits(
  geometry: NetworkGeometry,
  { maxDaGas, fieldsOfFurtherBlocks }: TransactionRules["gasLimits"],
): { daGas: number; l2Gas: number } {
  const blocks = blocksPerCheckpoint(geometry);
  const reserved = RESERVED_FIELDS + fieldsOfFurtherBlocks * (blocks - 1);
  const daBudget = (MAX_FIELDS_PER_CHECKPOINT - reserved) * DA_GAS_PER_FIELD;
  return {
    daGas: Math.min(maxDaGas, daBudget, Math.ceil((daBudget / blocks) * 1.5)),
    l2Gas: Math.min(MAX_L2_GAS_PER_TX, geometry.rollupManaLimit, Math.ceil((geometry.rollupManaLimit / blocks) * 1.2)),
  };
}
