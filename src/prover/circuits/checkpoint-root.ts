import { versionedHashOf } from "../../l1/blobs/blob-offer.ts";
import { concat, equal, isZero, writeU32 } from "../../protocol/bytes.ts";
import { CHECKPOINT_END_PREFIX } from "../../protocol/checkpoint-blob.ts";
import { checkpointHash } from "../../protocol/checkpoint-header.ts";
import { FIELDS_PER_BLOB, MAX_FIELDS_PER_CHECKPOINT } from "../../protocol/constants.ts";
import { setAccumulatedFees } from "../../protocol/generations/headers.ts";
import { blobsHash, shaPair } from "../../protocol/sha-trees.ts";
import { encode } from "../codec/codec.ts";
import { u64 } from "../codec/primitives.ts";
import { accumulateBlobs, type CommittedBlob } from "./blob-accumulation.ts";
import { mergeBlocks } from "./block-merge.ts";
import { paddedFees, paddedHashes } from "./checkpoint-lists.ts";
import type { CircuitContext } from "./circuit-context.ts";
import { pointFromCoordinates } from "./layouts/bls-point.ts";
import { ConstraintError } from "./layouts/constraint-error.ts";
import type { BlobAccumulator, BlockRollup, CheckpointRollup } from "./layouts/rollups.ts";
import type { CheckpointRootHints, CheckpointRootInput } from "./layouts/upper-inputs.ts";
import { GasFees, type Snapshot } from "./layouts/values.ts";
import { rootFromPath } from "./merkle-path.ts";
import { absorb, initialSponge, squeeze } from "./sponge.ts";

/** A checkpoint: its header, and the blobs that it published. */
export function checkpointRoot(context: CircuitContext, { children, hints }: CheckpointRootInput): CheckpointRollup {
  const blocks = mergeBlocks(context, children);
  const newOutHash = appendOutHash(hints, blocks.outHash);
  const { vkTreeRoot, protocolContractsHash, proverId, chainId, version, coinbase } = blocks.constants;
  return {
    constants: { chainId, version, vkTreeRoot, protocolContractsHash, proverId },
    previousArchive: blocks.previousArchive,
    newArchive: blocks.newArchive,
    previousOutHash: hints.previousOutHash,
    newOutHash,
    headerHashes: paddedHashes(checkpointHash(headerOf(context, blocks, hints.blobsHash, newOutHash.root))),
    fees: paddedFees([{ recipient: coinbase, value: blocks.accumulatedFees }]),
    startAccumulator: hints.startAccumulator,
    endAccumulator: accumulatorAfter(context, blocks, hints),
    finalChallenges: hints.finalChallenges,
  };
}

/** The epoch's tree of out hashes with that of this checkpoint. */
function appendOutHash({ previousOutHash, newOutHashPath }: CheckpointRootHints, outHash: Uint8Array): Snapshot {
  const index = previousOutHash.nextAvailableLeafIndex;
  return {
    root: rootFromPath(shaPair, outHash, newOutHashPath, BigInt(index)),
    nextAvailableLeafIndex: index + 1,
  };
}

/** docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header */
function headerOf(
  { generation }: CircuitContext,
  blocks: BlockRollup,
  hashOfBlobs: Uint8Array,
  epochOutHash: Uint8Array,
): Uint8Array {
  const { slotNumber, coinbase, feeRecipient, gasFees } = blocks.constants;
  const header = new Uint8Array(generation.headers.checkpointBytes);
  const common = concat(
    blocks.previousArchive.root,
    blocks.blockHeadersHash,
    hashOfBlobs,
    blocks.inHash,
    epochOutHash,
    slotNumber,
    encode(u64, blocks.timestamp),
    coinbase,
    feeRecipient,
    encode(GasFees, gasFees),
    blocks.accumulatedManaUsed,
  );
  header.set(common);
  setAccumulatedFees(header, generation.headers, blocks.accumulatedFees);
  return header;
}

function accumulatorAfter(
  { core, generation }: CircuitContext,
  { endSponge }: BlockRollup,
  hints: CheckpointRootHints,
): BlobAccumulator {
  const count = endSponge.numAbsorbedFields + 1;
  if (count > MAX_FIELDS_PER_CHECKPOINT) {
    throw new ConstraintError("endSponge.numAbsorbedFields", `must leave room for one of ${MAX_FIELDS_PER_CHECKPOINT}`);
  }
  const words = hints.blobFields.subarray(0, count * 32);
  const wordsHash = squeeze(core, absorb(core, endSponge, endMarker(count)));
  if (!equal(squeeze(core, absorb(core, initialSponge(), words)), wordsHash)) {
    throw new ConstraintError("hints.blobFields", "must be the words that the blocks absorbed");
  }
  if (!isZero(hints.blobFields.subarray(count * 32))) {
    throw new ConstraintError("hints.blobFields", `must be zero from field ${count}`);
  }
  const blobs: CommittedBlob[] = [];
  for (let at = 0; at < count; at += FIELDS_PER_BLOB) {
    blobs.push({
      words: words.subarray(at * 32, (at + FIELDS_PER_BLOB) * 32),
      commitment: hints.blobCommitments[blobs.length],
    });
  }
  requireBlobsHash(blobs, hints.blobsHash);
  return accumulateBlobs(
    core,
    generation.hashing.blobs,
    hints.startAccumulator,
    blobs,
    wordsHash,
    hints.finalChallenges,
  );
}

/** Last word of a checkpoint (docs/protocol/03-blocks-and-blobs.md#312-marker-words). */
export function endMarker(count: number): Uint8Array {
  const marker = new Uint8Array(32);
  writeU32(marker, 24, CHECKPOINT_END_PREFIX);
  writeU32(marker, 28, count);
  return marker;
}

function requireBlobsHash(blobs: readonly CommittedBlob[], expected: Uint8Array): void {
  const hashes = blobs.map(({ commitment }, i) =>
    versionedHashOf(pointFromCoordinates(commitment, `hints.blobCommitments[${i}]`).toBytes(true)),
  );
  if (!equal(blobsHash(hashes), expected)) {
    throw new ConstraintError("hints.blobsHash", "must be the hash of the blobs' commitments");
  }
}
