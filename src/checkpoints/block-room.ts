import { DA_GAS_PER_FIELD, MAX_DA_GAS_PER_CHECKPOINT, MAX_FIELDS_PER_CHECKPOINT } from "../protocol/constants.ts";
import type { TxGas } from "../protocol/fees/gas-fees.ts";
import { blockDaGas, blockMana, endWords } from "./block-costs.ts";
import type { BlockLimits, CheckpointLimits, ProposedBlock } from "./checkpoint-terms.ts";

/** Limits for the txs of a block. */
interface BlockRoom {
  maxTxs: number;
  maxGas: TxGas;
  maxBlobFields: number;
}

/**
 * Room that the blocks of a checkpoint leave for one more block
 * (docs/protocol/08-building-and-checkpoints.md#810-limits-of-a-block).
 */
export function roomAfter(
  blocks: readonly ProposedBlock[],
  { rollupManaLimit, maxTxsPerCheckpoint }: CheckpointLimits,
): BlockRoom {
  const left = (whole: number | undefined, cost: (block: ProposedBlock) => number) =>
    blocks.reduce((rest, block) => rest - cost(block), whole ?? Number.POSITIVE_INFINITY);
  return {
    maxTxs: left(maxTxsPerCheckpoint, ({ txs }) => txs.length),
    maxGas: {
      l2Gas: left(rollupManaLimit, blockMana),
      daGas: left(MAX_DA_GAS_PER_CHECKPOINT, blockDaGas),
    },
    maxBlobFields: left(MAX_FIELDS_PER_CHECKPOINT - endWords(blocks.length + 1), ({ body }) => body.length / 32),
  };
}

/**
 * The smallest of a block's own limits, the limits that its checkpoint is checked against, and the remaining room of
 * the checkpoint. A checkpoint counts DA gas by blob fields, so its limit on DA gas is a limit on blob fields.
 */
export function blockRoom(
  { maxTxs, maxGas, maxBlobFields }: Pick<BlockLimits, "maxTxs" | "maxGas" | "maxBlobFields">,
  blocks: readonly ProposedBlock[],
  checked: CheckpointLimits,
): BlockRoom {
  const left = roomAfter(blocks, checked);
  const least = (...limits: (number | undefined)[]) => Math.min(...limits.filter((limit) => limit !== undefined));
  const daFields =
    checked.maxDaBlockGas === undefined ? undefined : Math.floor(checked.maxDaBlockGas / DA_GAS_PER_FIELD);
  return {
    maxTxs: least(maxTxs, checked.maxTxsPerBlock, left.maxTxs),
    maxGas: {
      l2Gas: least(maxGas?.l2Gas, checked.maxL2BlockGas, left.maxGas.l2Gas),
      daGas: least(maxGas?.daGas, left.maxGas.daGas),
    },
    maxBlobFields: least(maxBlobFields, daFields, left.maxBlobFields),
  };
}
