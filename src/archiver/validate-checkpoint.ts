import { equal, isZero, toHex } from "../protocol/bytes.ts";
import type { BlobCheckpoint } from "../protocol/checkpoint-blob.ts";
import { CHECKPOINT_AT, checkpointSlot, checkpointTimestamp } from "../protocol/checkpoint-header.ts";
import {
  DA_GAS_PER_FIELD,
  MAX_BLOCKS_PER_CHECKPOINT,
  MAX_DA_GAS_PER_CHECKPOINT,
  MAX_FIELDS_PER_CHECKPOINT,
} from "../protocol/constants.ts";
import { DecodeError } from "../protocol/errors.ts";
import { isCanonicalFr } from "../protocol/field.ts";
import { blobsHash, epochOutHash, inHash } from "../protocol/sha-trees.ts";
import type { RebuildInput, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";

/**
 * Rules that relate the blobs to the checkpoint header (docs/protocol/03-blocks-and-blobs.md#317-rebuilding-blocks).
 * Coinbase, fee recipient, fees and slot are not in the blobs: blocks take them from the header, so they cannot differ.
 * Throws a DecodeError.
 */
export function checkStructure(input: RebuildInput, { blocks, words }: BlobCheckpoint): void {
  const subject = `checkpoint ${input.checkpointNumber}`;
  const { header } = input;
  if (
    checkpointSlot(header) >= 2 ** 32 ||
    !isZero(header.subarray(CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.slotNumber + 26))
  ) {
    throw new DecodeError(subject, "header slotNumber must be below 2^32");
  }
  if (!isCanonicalFr(header, CHECKPOINT_AT.feeRecipient)) {
    throw new DecodeError(subject, "header feeRecipient must be below the field modulus");
  }
  if (blocks.length < 1 || blocks.length > MAX_BLOCKS_PER_CHECKPOINT) {
    throw new DecodeError(subject, `must hold 1 to ${MAX_BLOCKS_PER_CHECKPOINT} blocks, got ${blocks.length}`);
  }
  checkEqual(
    subject,
    "lastArchiveRoot of the first block",
    blocks[0].lastArchiveRoot,
    "the header's",
    field(header, CHECKPOINT_AT.lastArchiveRoot),
  );
  const timestamp = checkpointTimestamp(header);
  blocks.forEach((block, i) => {
    if (block.timestamp !== timestamp) {
      throw new DecodeError(
        subject,
        `timestamp of block ${block.blockNumber} must be the header's ${timestamp}, got ${block.timestamp}`,
      );
    }
    if (block.blockNumber !== blocks[0].blockNumber + i) {
      throw new DecodeError(
        subject,
        `number of block ${i} must be ${blocks[0].blockNumber + i}, got ${block.blockNumber}`,
      );
    }
  });
  const mana = blocks.reduce((sum, block) => sum + block.totalManaUsed, 0n);
  if (mana > BigInt(input.rollupManaLimit)) {
    throw new DecodeError(subject, `mana of its blocks must be at most ${input.rollupManaLimit}, got ${mana}`);
  }
  const daGas = blocks.reduce((sum, block) => sum + block.body.length / 32, 0) * DA_GAS_PER_FIELD;
  if (daGas > MAX_DA_GAS_PER_CHECKPOINT) {
    throw new DecodeError(subject, `DA gas of its txs must be at most ${MAX_DA_GAS_PER_CHECKPOINT}, got ${daGas}`);
  }
  if (words.length / 32 > MAX_FIELDS_PER_CHECKPOINT) {
    throw new DecodeError(subject, `must hold at most ${MAX_FIELDS_PER_CHECKPOINT} words, got ${words.length / 32}`);
  }
}

/**
 * Checks the header's hashes that follow from the proposal's data alone. L1 leaves the first one to the epoch proof.
 * Throws a DecodeError.
 */
export function checkRebuiltHashes(input: RebuildInput, blockHeadersHash: Uint8Array): void {
  const subject = `checkpoint ${input.checkpointNumber}`;
  const stated = (at: number) => field(input.header, at);
  const { versionedBlobHashes } = input;
  if (versionedBlobHashes !== undefined) {
    const hash = blobsHash(versionedBlobHashes);
    checkEqual(subject, "blobsHash of its blobs", hash, "the header's", stated(CHECKPOINT_AT.blobsHash));
  }
  checkEqual(
    subject,
    "blockHeadersHash of its blocks",
    blockHeadersHash,
    "the header's",
    stated(CHECKPOINT_AT.blockHeadersHash),
  );
}

/** L1 leaves the sum of the fees to the epoch proof, too. Throws a DecodeError. */
export function checkAccumulatedFees({ checkpointNumber, header }: RebuildInput, at: number, sum: Uint8Array): void {
  const stated = field(header, at);
  checkEqual(`checkpoint ${checkpointNumber}`, "accumulatedFees", stated, "the sum of its blocks' fees", sum);
}

/** End of the chain that a checkpoint must continue. */
export interface ChainEnd {
  blockNumber: number;
  archiveRoot: Uint8Array;
}

/**
 * Checks a checkpoint against the chain before it: block numbers, archive, messages and out hashes. Throws a
 * DecodeError.
 */
export function checkContinuation(
  checkpoint: RebuiltCheckpoint,
  previous: ChainEnd,
  messages: Uint8Array[],
  epochOutHashes: Uint8Array[],
): void {
  const subject = `checkpoint ${checkpoint.checkpointNumber}`;
  const stated = (at: number) => field(checkpoint.header, at);
  const first = checkpoint.blocks[0].record.number;
  if (first !== previous.blockNumber + 1) {
    throw new DecodeError(subject, `first block must be ${previous.blockNumber + 1}, got ${first}`);
  }
  checkEqual(
    subject,
    "lastArchiveRoot",
    stated(CHECKPOINT_AT.lastArchiveRoot),
    "the archive before it",
    previous.archiveRoot,
  );
  checkEqual(subject, "inHash", stated(CHECKPOINT_AT.inHash), "that of its L1-to-L2 messages", inHash(messages));
  checkEqual(
    subject,
    "epochOutHash",
    stated(CHECKPOINT_AT.epochOutHash),
    "that of its epoch's L2-to-L1 messages",
    epochOutHash([...epochOutHashes, checkpoint.outHash]),
  );
}

function field(header: Uint8Array, at: number): Uint8Array {
  return header.subarray(at, at + 32);
}

function checkEqual(subject: string, name: string, got: Uint8Array, whose: string, expected: Uint8Array): void {
  if (equal(got, expected)) return;
  throw new DecodeError(subject, `${name} must equal ${whose}: ${toHex(expected)}, got ${toHex(got)}`);
}
