import { DA_GAS_PER_FIELD, MAX_DA_GAS_PER_CHECKPOINT, MAX_FIELDS_PER_CHECKPOINT } from "../constants.ts";
import type { TxGas } from "../fees/gas-fees.ts";
import type { ConsensusRules } from "./consensus.ts";

/**
 * Most L2 gas that the public VM and the private part of one tx can use
 * (docs/protocol/07-transactions-and-fees.md#78-bounds-of-gas-limits).
 */
export const MAX_L2_GAS_PER_TX = 6_540_000;

/** End marker of the checkpoint, then the end fields of its first block. */
const RESERVED_FIELDS = 1 + 7;

/** Times in seconds. */
export interface NetworkGeometry {
  slotDuration: number;
  ethereumSlotDuration: number;
  /** Undefined if it is not set. */
  blockDuration: number | undefined;
  /** Maximum number of blocks of a checkpoint on the network; undefined if it is not set. */
  maxBlocks: number | undefined;
  rollupManaLimit: number;
}

/** The settings that a network's geometry depends on besides the rollup's constants; undefined where not set. */
export interface GeometrySettings {
  readonly blockDurationMs?: number;
  readonly maxBlocksPerCheckpoint?: number;
}

export function networkGeometry(
  { slotDuration, ethereumSlotDuration, rollupManaLimit }: Omit<NetworkGeometry, "blockDuration" | "maxBlocks">,
  { blockDurationMs, maxBlocksPerCheckpoint }: GeometrySettings,
  consensus: Pick<ConsensusRules, "blockDurationMs">,
): NetworkGeometry {
  const milliseconds = blockDurationMs ?? consensus.blockDurationMs;
  const blockDuration = milliseconds === undefined ? undefined : milliseconds / 1000;
  return { slotDuration, ethereumSlotDuration, rollupManaLimit, blockDuration, maxBlocks: maxBlocksPerCheckpoint };
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

/** What the blocks of a checkpoint share. */
interface SharedCheckpoint {
  blocks: number;
  /** Blob fields that each block after the first takes from the transactions' budget. */
  fieldsOfLaterBlocks: number;
  rollupManaLimit: number;
}

/**
 * Largest gas limits of a tx that every block can include: an even share of a checkpoint plus a margin
 * (docs/protocol/07-transactions-and-fees.md#78-bounds-of-gas-limits).
 */
export function evenShare({ blocks, fieldsOfLaterBlocks, rollupManaLimit }: SharedCheckpoint, max: TxGas): TxGas {
  const fields = MAX_FIELDS_PER_CHECKPOINT - RESERVED_FIELDS - (blocks - 1) * fieldsOfLaterBlocks;
  const daBudget = Math.max(0, fields) * DA_GAS_PER_FIELD;
  return {
    daGas: Math.min(MAX_DA_GAS_PER_CHECKPOINT, max.daGas, daBudget, Math.ceil((daBudget / blocks) * 1.5)),
    l2Gas: Math.min(max.l2Gas, rollupManaLimit, Math.ceil((rollupManaLimit / blocks) * 1.2)),
  };
}

/** The lower of two limits in each dimension, as far as they say something. */
export function lowerGas(limits: TxGas, others: Partial<TxGas>): TxGas {
  const { daGas = Number.POSITIVE_INFINITY, l2Gas = Number.POSITIVE_INFINITY } = others;
  return { daGas: Math.min(limits.daGas, daGas), l2Gas: Math.min(limits.l2Gas, l2Gas) };
}
