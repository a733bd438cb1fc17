import { HEADER_AT, headerBlockNumber, headerSlotNumber, headerSnapshot } from "../protocol/block-header.ts";
import { equal } from "../protocol/bytes.ts";
import { CHECKPOINT_AT, type CheckpointHeader, checkpointSlot } from "../protocol/checkpoint-header.ts";
import {
  ARCHIVE,
  MAX_BLOCKS_PER_CHECKPOINT,
  MAX_DA_GAS_PER_CHECKPOINT,
  MAX_FIELDS_PER_CHECKPOINT,
} from "../protocol/constants.ts";
import { blockDaGas, blockMana, endWords } from "./block-costs.ts";
import type { CheckpointLimits, ProposedBlock } from "./checkpoint-terms.ts";
import { CheckpointRuleError } from "./errors.ts";

interface CheckedCheckpoint {
  checkpointNumber: number;
  header: CheckpointHeader;
  blocks: readonly ProposedBlock[];
}

/**
 * A rule of docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint. Returns the error message when a
 * checkpoint breaks it, undefined when it holds.
 */
type Rule = (checkpoint: CheckedCheckpoint, limits: CheckpointLimits) => string | undefined;

const hasBlocks: Rule = ({ blocks }) => (blocks.length === 0 ? "Checkpoint has no blocks" : undefined);

const blockCount: Rule = ({ blocks }) =>
  blocks.length > MAX_BLOCKS_PER_CHECKPOINT
    ? `Checkpoint has ${blocks.length} blocks, exceeding limit of ${MAX_BLOCKS_PER_CHECKPOINT}`
    : undefined;

const startsAtItsArchive: Rule = ({ header, blocks }) =>
  equal(header.subarray(CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.lastArchiveRoot + 32), lastArchiveRoot(blocks[0]))
    ? undefined
    : "Checkpoint lastArchiveRoot does not match first block's lastArchive root";

const indexes: Rule = ({ blocks }) =>
  first(blocks, ({ record }, i) =>
    record.indexWithinCheckpoint === i
      ? undefined
      : `Block at index ${i} has indexWithinCheckpoint ${record.indexWithinCheckpoint}, expected ${i}`,
  );

const slots: Rule = ({ header, blocks }) => {
  const slot = checkpointSlot(header);
  return first(blocks, ({ record }) => {
    const own = headerSlotNumber(record.header);
    return own === slot
      ? undefined
      : `Block ${numberOf(record)} has slot ${own}, expected ${slot} (all blocks must share the same slot)`;
  });
};

/** Both headers have the fields from timestamp to gas fees in the same order. */
const globals: Rule = ({ header, blocks }) => {
  const expected = header.subarray(CHECKPOINT_AT.timestamp, CHECKPOINT_AT.totalManaUsed);
  return first(blocks, ({ record }) =>
    equal(record.header.subarray(HEADER_AT.timestamp, HEADER_AT.totalFees), expected)
      ? undefined
      : `Block ${numberOf(record)} global variables (slot, timestamp, coinbase, feeRecipient, gasFees) do not match checkpoint header`,
  );
};

const numbers: Rule = ({ blocks }) =>
  first(blocks, ({ record }, i) => {
    if (i === 0) return undefined;
    const [before, number] = [numberOf(blocks[i - 1].record), numberOf(record)];
    return number === before + 1
      ? undefined
      : `Block numbers are not sequential: block at index ${i - 1} has number ${before}, block at index ${i} has number ${number}`;
  });

const archives: Rule = ({ blocks }) =>
  first(blocks, (block, i) => {
    if (i === 0) return undefined;
    const before = blocks[i - 1].record;
    return equal(lastArchiveRoot(block), before.archiveRoot)
      ? undefined
      : `Block ${numberOf(block.record)} lastArchive root does not match archive root of block ${numberOf(before)}`;
  });

const mana: Rule = ({ blocks }, { rollupManaLimit }) => {
  const total = sum(blocks, blockMana);
  return rollupManaLimit !== undefined && total > rollupManaLimit
    ? `Checkpoint mana cost ${total} exceeds rollup limit of ${rollupManaLimit}`
    : undefined;
};

const daGas: Rule = ({ blocks }) => {
  const total = sum(blocks, blockDaGas);
  return total > MAX_DA_GAS_PER_CHECKPOINT
    ? `Checkpoint DA gas cost ${total} exceeds limit of ${MAX_DA_GAS_PER_CHECKPOINT}`
    : undefined;
};

const blobFields: Rule = ({ blocks }) => {
  const total = endWords(blocks.length) + sum(blocks, ({ body }) => body.length / 32);
  return total > MAX_FIELDS_PER_CHECKPOINT
    ? `Checkpoint blob field count ${total} exceeds limit of ${MAX_FIELDS_PER_CHECKPOINT}`
    : undefined;
};

const txCount: Rule = ({ blocks }, { maxTxsPerCheckpoint }) => {
  const total = sum(blocks, ({ txs }) => txs.length);
  return maxTxsPerCheckpoint !== undefined && total > maxTxsPerCheckpoint
    ? `Checkpoint tx count ${total} exceeds limit of ${maxTxsPerCheckpoint}`
    : undefined;
};

const blockL2Gas: Rule = ({ blocks }, { maxL2BlockGas }) =>
  first(blocks, (block) =>
    maxL2BlockGas !== undefined && blockMana(block) > maxL2BlockGas
      ? `Block ${numberOf(block.record)} in checkpoint has L2 gas used ${blockMana(block)} exceeding limit of ${maxL2BlockGas}`
      : undefined,
  );

const blockDa: Rule = ({ blocks }, { maxDaBlockGas }) =>
  first(blocks, (block) =>
    maxDaBlockGas !== undefined && blockDaGas(block) > maxDaBlockGas
      ? `Block ${numberOf(block.record)} in checkpoint has DA gas used ${blockDaGas(block)} exceeding limit of ${maxDaBlockGas}`
      : undefined,
  );

const blockTxs: Rule = ({ blocks }, { maxTxsPerBlock }) =>
  first(blocks, ({ record, txs }) =>
    maxTxsPerBlock !== undefined && txs.length > maxTxsPerBlock
      ? `Block ${numberOf(record)} in checkpoint has ${txs.length} txs exceeding limit of ${maxTxsPerBlock}`
      : undefined,
  );

/** In the order of checking: a later rule may rely on an earlier one. */
const RULES: readonly Rule[] = [
  hasBlocks,
  blockCount,
  startsAtItsArchive,
  indexes,
  slots,
  globals,
  numbers,
  archives,
  mana,
  daGas,
  blobFields,
  txCount,
  blockL2Gas,
  blockDa,
  blockTxs,
];

/**
 * Throws a CheckpointRuleError with the text of the first rule that a checkpoint breaks
 * (docs/protocol/08-building-and-checkpoints.md#814-rules-of-a-checkpoint).
 */
export function checkCheckpoint(checkpoint: CheckedCheckpoint, limits: CheckpointLimits): void {
  for (const rule of RULES) {
    const broken = rule(checkpoint, limits);
    if (broken === undefined) continue;
    const { checkpointNumber, header } = checkpoint;
    throw new CheckpointRuleError(broken, { checkpointNumber, slot: checkpointSlot(header) });
  }
}

function lastArchiveRoot({ record }: ProposedBlock): Uint8Array {
  return headerSnapshot(record.header, ARCHIVE).root;
}

function numberOf({ header }: { header: Uint8Array }): number {
  return headerBlockNumber(header);
}

function sum(blocks: readonly ProposedBlock[], of: (block: ProposedBlock) => number): number {
  return blocks.reduce((total, block) => total + of(block), 0);
}

function first(
  blocks: readonly ProposedBlock[],
  broken: (block: ProposedBlock, index: number) => string | undefined,
): string | undefined {
  for (const [i, block] of blocks.entries()) {
    const text = broken(block, i);
    if (text !== undefined) return text;
  }
  return undefined;
}
