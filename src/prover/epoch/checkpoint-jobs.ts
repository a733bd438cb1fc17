import { setImmediate } from "node:timers/promises";
import { concat, equal } from "../../protocol/bytes.ts";
import { CHECKPOINT_AT, checkpointHash } from "../../protocol/checkpoint-header.ts";
import {
  BLOBS_PER_CHECKPOINT,
  MAX_CHECKPOINTS_PER_EPOCH,
  MAX_FIELDS_PER_CHECKPOINT,
} from "../../protocol/constants.ts";
import { FR_ZERO } from "../../protocol/field.ts";
import { epochOutHash, unbalancedTree } from "../../protocol/sha-trees.ts";
import { accumulateBlobs } from "../circuits/blob-accumulation.ts";
import { ConstraintError, requireEqual } from "../circuits/layouts/constraint-error.ts";
import type { ProofData } from "../circuits/layouts/proof-data.ts";
import { BlobAccumulator, type CheckpointRollup, type FinalBlobChallenges } from "../circuits/layouts/rollups.ts";
import type { EndedCheckpoint } from "./ended-checkpoint.ts";
import type { EpochContext } from "./epoch-context.ts";

const NO_POINT = new Uint8Array(96);

/** Before the first blob of an epoch. */
const NO_BLOBS: BlobAccumulator = {
  blobCommitmentsHash: FR_ZERO,
  z: FR_ZERO,
  y: FR_ZERO,
  c: NO_POINT,
  gamma: FR_ZERO,
  gammaPower: FR_ZERO,
};

/** The checkpoints of an epoch whose roots are being proven. */
interface CheckpointRoots {
  readonly proofs: readonly Promise<ProofData<CheckpointRollup>>[];
  /** After all blobs. */
  readonly accumulator: BlobAccumulator;
}

/**
 * Hands out the checkpoint roots of an epoch, each once its blocks are proven. It yields to the event loop after each
 * checkpoint.
 */
export async function proveCheckpoints(
  { core, generation, jobs }: EpochContext,
  checkpoints: readonly EndedCheckpoint[],
  challenges: FinalBlobChallenges,
): Promise<CheckpointRoots> {
  const proofs: Promise<ProofData<CheckpointRollup>>[] = [];
  const outHashes = checkpoints.map(({ outHash }) => outHash);
  let accumulator = NO_BLOBS;
  for (const [i, checkpoint] of checkpoints.entries()) {
    await setImmediate();
    const { before, halves, header, blobs, wordsHash, signal } = checkpoint;
    const startAccumulator = accumulator;
    const end = accumulateBlobs(core, generation.hashing.blobs, startAccumulator, blobs, wordsHash, challenges);
    accumulator = end;
    const hints = {
      previousBlockHeader: before.header,
      previousArchivePath: before.archivePath,
      previousOutHash: { root: epochOutHash(outHashes.slice(0, i)), nextAvailableLeafIndex: i },
      newOutHashPath: outHashPath(outHashes.slice(0, i)),
      startAccumulator,
      finalChallenges: challenges,
      blobFields: paddedFields(blobs.map(({ words }) => words)),
      blobCommitments: Array.from({ length: BLOBS_PER_CHECKPOINT }, (_, k) => blobs[k]?.commitment ?? NO_POINT),
      blobsHash: header.subarray(CHECKPOINT_AT.blobsHash, CHECKPOINT_AT.inHash),
    };
    const type = halves.length === 1 ? "CHECKPOINT_ROOT_SINGLE_BLOCK_ROLLUP" : "CHECKPOINT_ROOT_ROLLUP";
    const check = (output: CheckpointRollup) => {
      if (!equal(output.headerHashes.subarray(0, 32), checkpointHash(header))) {
        throw new ConstraintError(`checkpoint ${checkpoint.number}`, "must have the header that is on L1");
      }
      requireEqual(BlobAccumulator, output.endAccumulator, end, "endAccumulator", "that after the checkpoint's blobs");
    };
    const input = Promise.all(halves).then((children) => ({ children, hints }));
    proofs.push(jobs.prove(type, input, { signal, check }));
  }
  return { proofs, accumulator };
}

/** Path of the next leaf in the epoch's tree of out hashes. */
function outHashPath(before: readonly Uint8Array[]): Uint8Array {
  const leaves = Array.from({ length: MAX_CHECKPOINTS_PER_EPOCH }, (_, i) => before[i] ?? FR_ZERO);
  return concat(...(unbalancedTree(leaves).locations[before.length]?.siblings ?? []));
}

function paddedFields(words: readonly Uint8Array[]): Uint8Array {
  const fields = new Uint8Array(MAX_FIELDS_PER_CHECKPOINT * 32);
  fields.set(concat(...words));
  return fields;
}
