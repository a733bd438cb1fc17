import type { Core } from "../core/core.ts";
import { blockHash } from "../core/derive/block-hash.ts";
import { blockHeadersHash } from "../core/derive/block-headers-hash.ts";
import { BLOCK_HEADER_BYTES, type BlockHeader, HEADER_AT, HEADER_SNAPSHOT_AT } from "../protocol/block-header.ts";
import { word, writeU32, writeUint } from "../protocol/bytes.ts";
import { type BlobBlock, readCheckpointBlobs } from "../protocol/checkpoint-blob.ts";
import { CHECKPOINT_AT, checkpointSlot } from "../protocol/checkpoint-header.ts";
import {
  ARCHIVE,
  L1_TO_L2_MESSAGE_TREE,
  NOTE_HASH_TREE,
  NULLIFIER_TREE,
  PUBLIC_DATA_TREE,
  type TreeId,
} from "../protocol/constants.ts";
import { DecodeError } from "../protocol/errors.ts";
import { FR_ZERO, type Fr } from "../protocol/field.ts";
import type { Generation } from "../protocol/generations/generation.ts";
import { checkpointOutHash } from "../protocol/sha-trees.ts";
import { items } from "../protocol/tx-effect.ts";
import { contractEvents } from "./contract-events.ts";
import type { RebuildInput, RebuiltBlock, RebuiltCheckpoint } from "./rebuilt-checkpoint.ts";
import { checkAccumulatedFees, checkRebuiltHashes, checkStructure } from "./validate-checkpoint.ts";

/**
 * Rebuilds the blocks of a checkpoint from its blobs (docs/protocol/03-blocks-and-blobs.md#317-rebuilding-blocks) and
 * checks everything that follows from the proposal alone. Pure: reads only its arguments. Throws a DecodeError that
 * names the field and the rule.
 */
export function rebuildCheckpoint(input: RebuildInput, core: Core, generation: Generation): RebuiltCheckpoint {
  const decoded = readCheckpointBlobs(input.blobs);
  checkStructure(input, decoded);
  const sponge = core.blobSponge();
  const blocks = decoded.blocks.map((block, indexWithinCheckpoint): RebuiltBlock => {
    sponge.absorb(block.words);
    const header = buildHeader(input, block, decoded.l1ToL2MessageRoot, sponge.squeeze(), core);
    return {
      record: {
        number: block.blockNumber,
        hash: blockHash(core, header),
        header,
        archiveRoot: decoded.blocks[indexWithinCheckpoint + 1]?.lastArchiveRoot ?? input.archiveRoot,
        checkpointNumber: input.checkpointNumber,
        indexWithinCheckpoint,
        txCount: block.txs.length,
      },
      body: block.body,
      txs: block.txs,
      contractEvents: contractEvents(block.txs, core, generation.contracts),
    };
  });
  const hashes = blocks.map((block) => block.record.hash);
  const { hashing, headers } = generation;
  checkRebuiltHashes(input, blockHeadersHash(core, hashes, hashing.blockHeaderNodes));
  if (headers.accumulatedFeesAt !== undefined) {
    const sum = accumulatedFees(
      blocks.map(({ record }) => record.header),
      core,
    );
    checkAccumulatedFees(input, headers.accumulatedFeesAt, sum);
  }
  return {
    checkpointNumber: input.checkpointNumber,
    header: input.header,
    archiveRoot: input.archiveRoot,
    outHash: checkpointOutHash(blocks.map(({ txs }) => txs.map((tx) => items(tx.l2ToL1Msgs)))),
    blocks,
  };
}

/** The fees of a checkpoint's blocks, of which some generations' checkpoint headers state the sum. */
export function accumulatedFees(blockHeaders: readonly BlockHeader[], core: Core): Fr {
  const fees = blockHeaders.map((header) => word(header.subarray(HEADER_AT.totalFees), 0));
  return fees.reduce((total, fee) => core.field.add(total, fee), FR_ZERO);
}

/** A block takes slot, timestamp and fee settings from its checkpoint; both headers hold them in the same order. */
function buildHeader(
  input: RebuildInput,
  block: BlobBlock,
  l1ToL2MessageRoot: Uint8Array,
  spongeBlobHash: Uint8Array,
  core: Core,
): Uint8Array {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  const snapshot = (tree: TreeId, root: Uint8Array, size: number, name: string) => {
    if (size >= 2 ** 32) {
      throw new DecodeError(`block ${block.blockNumber}`, `${name} must be below 2^32, got ${size}`);
    }
    header.set(root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
  };
  snapshot(ARCHIVE, block.lastArchiveRoot, block.blockNumber, "block number");
  snapshot(L1_TO_L2_MESSAGE_TREE, l1ToL2MessageRoot, block.l1ToL2MessageTreeSize, "message tree size");
  snapshot(NOTE_HASH_TREE, block.noteHashRoot, block.noteHashTreeSize, "note hash tree size");
  snapshot(NULLIFIER_TREE, block.nullifierRoot, block.nullifierTreeSize, "nullifier tree size");
  snapshot(PUBLIC_DATA_TREE, block.publicDataRoot, block.publicDataTreeSize, "public data tree size");
  header.set(spongeBlobHash, HEADER_AT.spongeBlobHash);
  writeUint(header, HEADER_AT.chainId + 26, 6, input.l1ChainId);
  writeUint(header, HEADER_AT.version + 26, 6, input.rollupVersion);
  writeU32(header, HEADER_AT.blockNumber, block.blockNumber);
  writeU32(header, HEADER_AT.slotNumber, checkpointSlot(input.header));
  header.set(input.header.subarray(CHECKPOINT_AT.timestamp, CHECKPOINT_AT.totalManaUsed), HEADER_AT.timestamp);
  const totalFees = block.txs.reduce((sum, tx) => core.field.add(sum, tx.transactionFee), FR_ZERO);
  header.set(totalFees, HEADER_AT.totalFees);
  writeUint(header, HEADER_AT.totalManaUsed + 26, 6, Number(block.totalManaUsed));
  return header;
}
