import { versionedHashOf } from "../../l1/blobs/blob-offer.ts";
import { equal } from "../../protocol/bytes.ts";
import { type BlockContents, writeCheckpointBlobs } from "../../protocol/checkpoint-blob-writer.ts";
import { CHECKPOINT_AT, type CheckpointHeader } from "../../protocol/checkpoint-header.ts";
import { BYTES_PER_BLOB } from "../../protocol/constants.ts";
import type { Fr } from "../../protocol/field.ts";
import { blobsHash, checkpointOutHash } from "../../protocol/sha-trees.ts";
import type { CommittedBlob } from "../circuits/blob-accumulation.ts";
import { endMarker } from "../circuits/checkpoint-root.ts";
import { decompressPoint } from "../circuits/layouts/bls-point.ts";
import { ConstraintError } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import type { BlockRollup } from "../circuits/layouts/rollups.ts";
import type { SpongeBlob } from "../circuits/layouts/values.ts";
import { absorb, squeeze } from "../circuits/sponge.ts";
import type { BeforeCheckpoint } from "./before-checkpoint.ts";
import { both } from "./block-jobs.ts";
import type { EpochContext } from "./epoch-context.ts";
import type { CheckpointEnd } from "./epoch-types.ts";
import { mergeHalves } from "./merge-tree.ts";

/** A checkpoint that is on L1. */
export interface EndedCheckpoint {
  readonly number: number;
  readonly header: CheckpointHeader;
  readonly before: BeforeCheckpoint;
  /** One proof, or two that the checkpoint root joins. */
  readonly halves: readonly Promise<ProofData<BlockRollup>>[];
  /** Of this checkpoint alone. */
  readonly outHash: Fr;
  readonly blobs: readonly CommittedBlob[];
  /** Hash of the words of all its blobs. */
  readonly wordsHash: Fr;
  readonly signal: AbortSignal;
}

interface OpenCheckpoint {
  readonly number: number;
  readonly end: CheckpointEnd;
  readonly before: BeforeCheckpoint;
  readonly blocks: readonly (BlockContents & { messages: Uint8Array[][] })[];
  /** After the last block. */
  readonly sponge: SpongeBlob;
  readonly proofs: readonly Promise<ProofData<BlockRollup>>[];
  readonly signal: AbortSignal;
}

/**
 * Makes the blobs of a checkpoint and hands out the merges of its blocks. Throws a ConstraintError for commitments that
 * are not those of the header.
 */
export function endCheckpoint({ core, jobs }: EpochContext, open: OpenCheckpoint): EndedCheckpoint {
  const { number, before, blocks, signal } = open;
  const { header, commitments } = open.end;
  const words = writeCheckpointBlobs(blocks);
  const count = open.sponge.numAbsorbedFields + 1;
  if (words.length !== commitments.length * BYTES_PER_BLOB) {
    const rule = `must be ${words.length / BYTES_PER_BLOB}, got ${commitments.length}`;
    throw new ConstraintError(`checkpoint ${number}.commitments`, rule);
  }
  if (
    !equal(blobsHash(commitments.map(versionedHashOf)), header.subarray(CHECKPOINT_AT.blobsHash, CHECKPOINT_AT.inHash))
  ) {
    throw new ConstraintError(`checkpoint ${number}.commitments`, "must be those of the header's blobsHash");
  }
  const used = words.subarray(0, count * 32);
  return {
    number,
    header,
    before,
    halves: mergeHalves(open.proofs, (left, right) => jobs.prove("BLOCK_MERGE_ROLLUP", both(left, right), { signal })),
    outHash: checkpointOutHash(blocks.map(({ messages }) => messages)),
    blobs: commitments.map((commitment, i) => ({
      words: used.subarray(i * BYTES_PER_BLOB, (i + 1) * BYTES_PER_BLOB),
      commitment: decompressPoint(commitment, `checkpoint ${number}.commitments[${i}]`),
    })),
    wordsHash: squeeze(core, absorb(core, open.sponge, endMarker(count))),
    signal,
  };
}
