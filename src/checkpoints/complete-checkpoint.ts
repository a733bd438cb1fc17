import { blockHeadersHash } from "../core/derive/block-headers-hash.ts";
import { versionedHashOf } from "../l1/blobs/blob-offer.ts";
import { HEADER_AT, headerSlotNumber, headerSnapshot, headerTotalFees } from "../protocol/block-header.ts";
import { writeUint } from "../protocol/bytes.ts";
import { writeCheckpointBlobs } from "../protocol/checkpoint-blob-writer.ts";
import { CHECKPOINT_AT, checkpointHash } from "../protocol/checkpoint-header.ts";
import { ARCHIVE, BYTES_PER_BLOB } from "../protocol/constants.ts";
import { FR_ZERO, type Fr } from "../protocol/field.ts";
import { setAccumulatedFees } from "../protocol/generations/headers.ts";
import { blobsHash, checkpointOutHash, epochOutHash, inHash } from "../protocol/sha-trees.ts";
import { items } from "../protocol/tx-effect.ts";
import { blockMana } from "./block-costs.ts";
import type { BuildServices, CompletedCheckpoint, ProposedBlock } from "./checkpoint-terms.ts";

interface BuiltBlocks {
  checkpointNumber: number;
  /** At least one. */
  blocks: ProposedBlock[];
  messages: Fr[];
  /** Out hashes of the epoch's checkpoints before this one. */
  previousOutHashes: readonly Fr[];
}

/**
 * Makes the header and blobs of a checkpoint from all its blocks
 * (docs/protocol/08-building-and-checkpoints.md#813-completing-a-checkpoint).
 */
export async function completeCheckpoint(
  { checkpointNumber, blocks, messages, previousOutHashes }: BuiltBlocks,
  { core, generation, kzg }: Pick<BuildServices, "core" | "generation" | "kzg">,
): Promise<CompletedCheckpoint> {
  const blobs = checkpointBlobs(blocks);
  const commitments = await Promise.all(blobs.map((blob) => kzg.commitment(blob)));
  const versionedBlobHashes = commitments.map(versionedHashOf);
  const outHash = checkpointOutHash(blocks.map(({ txs }) => txs.map((tx) => items(tx.l2ToL1Msgs))));
  const [{ record: first }] = blocks;
  const slot = headerSlotNumber(first.header);
  const header = new Uint8Array(generation.headers.checkpointBytes);
  header.set(headerSnapshot(first.header, ARCHIVE).root, CHECKPOINT_AT.lastArchiveRoot);
  const hashes = blocks.map(({ record }) => record.hash);
  header.set(blockHeadersHash(core, hashes, generation.hashing.blockHeaderNodes), CHECKPOINT_AT.blockHeadersHash);
  header.set(blobsHash(versionedBlobHashes), CHECKPOINT_AT.blobsHash);
  header.set(inHash(messages), CHECKPOINT_AT.inHash);
  header.set(epochOutHash([...previousOutHashes, outHash]), CHECKPOINT_AT.epochOutHash);
  writeUint(header, CHECKPOINT_AT.slotNumber + 26, 6, slot);
  // Both headers have the fields from timestamp to gas fees in the same order.
  header.set(first.header.subarray(HEADER_AT.timestamp, HEADER_AT.totalFees), CHECKPOINT_AT.timestamp);
  const mana = blocks.reduce((sum, block) => sum + blockMana(block), 0);
  writeUint(header, CHECKPOINT_AT.totalManaUsed + 26, 6, mana);
  const fees = blocks.reduce((sum, { record }) => core.field.add(sum, headerTotalFees(record.header)), FR_ZERO);
  setAccumulatedFees(header, generation.headers, fees);
  return {
    checkpointNumber,
    slot,
    header,
    hash: checkpointHash(header),
    archiveRoot: blocks[blocks.length - 1].record.archiveRoot,
    outHash,
    blocks,
    blobs,
    commitments,
    versionedBlobHashes,
  };
}

/** The blobs of a checkpoint that consists of the given blocks. */
export function checkpointBlobs(blocks: readonly ProposedBlock[]): Uint8Array[] {
  const bytes = writeCheckpointBlobs(
    blocks.map(({ record: { header, txCount }, body }) => ({ header, txCount, body })),
  );
  return Array.from({ length: bytes.length / BYTES_PER_BLOB }, (_, i) =>
    bytes.slice(i * BYTES_PER_BLOB, (i + 1) * BYTES_PER_BLOB),
  );
}
