import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { CommitteeAttestation, L1Block } from "../../../l1/types.ts";
import { CHECKPOINT_AT, type CheckpointHeader, checkpointSlot } from "../../../protocol/checkpoint-header.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, COUNT, listOf, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import {
  BLOCK_NUMBER,
  CHECKPOINT_NUMBER,
  DECIMAL,
  ETH_ADDRESS,
  FIELD,
  L1_BLOCK_HASH,
  L2_ADDRESS,
  RELEASE_SIGNATURE,
  SIGNED_DECIMAL,
  SLOT_NUMBER,
  TIMESTAMP,
} from "../json/scalars.ts";
import { GAS_FEES } from "../shared/gas-fees.ts";
import { type BlockWithBody, writeArchive } from "./block.ts";
import { encodeGasFees, TREE_SNAPSHOT } from "./block-header.ts";

const CHECKPOINT_HEADER_MEMBERS = {
  lastArchiveRoot: about(FIELD, "Root of the archive before the checkpoint."),
  blockHeadersHash: about(FIELD, "Root of the tree of its blocks' hashes."),
  blobsHash: about(FIELD, "Hash of its blobs' commitments."),
  inHash: about(FIELD, "Root of the messages from L1 that it takes in."),
  epochOutHash: about(FIELD, "Root of the epoch's messages to L1 up to it."),
  slotNumber: SLOT_NUMBER,
  timestamp: about(TIMESTAMP, "Start of its slot."),
  coinbase: about(ETH_ADDRESS, "Who gets its rewards on L1."),
  feeRecipient: about(L2_ADDRESS, "Who gets the fees of its transactions."),
  gasFees: about(GAS_FEES, "Base fees of its blocks."),
  totalManaUsed: about(FIELD, "Sum of the L2 gas that its transactions are billed for."),
};
const CHECKPOINT_HEADER = record(
  "CheckpointHeader",
  "The header of a checkpoint, as L1 has its hash.",
  CHECKPOINT_HEADER_MEMBERS,
  { accumulatedFees: about(FIELD, "Sum of the fees of its transactions; in headers of rollups after v4.") },
);
/** Where the sum of the fees is in headers that have it (docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header). */
const ACCUMULATED_FEES_AT = CHECKPOINT_AT.totalManaUsed + 32;

/** CheckpointHeader (docs/protocol/05-rpc.md#518-checkpoint-objects). */
export const encodeCheckpointHeader = encoder<CheckpointHeader>(CHECKPOINT_HEADER, (out, header) => {
  out.text('{"lastArchiveRoot":').word(header, CHECKPOINT_AT.lastArchiveRoot);
  out.text(',"blockHeadersHash":').word(header, CHECKPOINT_AT.blockHeadersHash);
  out.text(',"blobsHash":').word(header, CHECKPOINT_AT.blobsHash);
  out.text(',"inHash":').word(header, CHECKPOINT_AT.inHash);
  out.text(',"epochOutHash":').word(header, CHECKPOINT_AT.epochOutHash);
  out.text(',"slotNumber":').number(checkpointSlot(header));
  out.text(',"timestamp":').decimalBytes(header, CHECKPOINT_AT.timestamp, 8);
  out.text(',"coinbase":').hex(header, CHECKPOINT_AT.coinbase, CHECKPOINT_AT.coinbase + 20);
  out.text(',"feeRecipient":').word(header, CHECKPOINT_AT.feeRecipient);
  out.text(',"gasFees":');
  encodeGasFees(out, header, CHECKPOINT_AT.feePerDaGas);
  out.text(',"totalManaUsed":').word(header, CHECKPOINT_AT.totalManaUsed);
  if (header.length > ACCUMULATED_FEES_AT) out.text(',"accumulatedFees":').word(header, ACCUMULATED_FEES_AT);
  out.text("}");
});

export const L1_BLOCK_MEMBERS = {
  blockNumber: about(DECIMAL, "Number of the L1 block."),
  timestamp: about(TIMESTAMP, "Timestamp of the L1 block."),
  blockHash: L1_BLOCK_HASH,
};
const L1_PUBLISHED = record("L1PublishedData", "The L1 block in which a checkpoint was published.", L1_BLOCK_MEMBERS);

/** L1PublishedData. */
export const encodePublished = encoder<L1Block>(L1_PUBLISHED, (out, l1) => {
  out.text('{"blockNumber":').decimal(l1.number);
  out.text(',"timestamp":').decimal(l1.timestamp);
  out.text(',"blockHash":').hex(l1.hash).text("}");
});

const ATTESTATION = record("ReleaseCommitteeAttestation", "What a member of the committee signed, or did not.", {
  address: about(ETH_ADDRESS, "The member's address."),
  signature: RELEASE_SIGNATURE,
});

/** A signature's recovery byte is written without padding, so an absent signature is 129 zero digits. */
const encodeAttestation = encoder<CommitteeAttestation>(ATTESTATION, (out, { address, signature }) => {
  out.text('{"address":').hex(address);
  const digits = signature === undefined ? "0".repeat(128) : Buffer.from(signature.subarray(0, 64)).toString("hex");
  out.text(`,"signature":"0x${digits}${(signature?.[64] ?? 0).toString(16)}"}`);
});

function encodePublication(out: JsonWriter, { l1, attestations }: CheckpointRecord): void {
  out.text(',"l1":');
  encodePublished(out, l1);
  out.text(',"attestations":').array(attestations, encodeAttestation);
}

function lastBlock(checkpoint: CheckpointRecord): number {
  return checkpoint.startBlock + checkpoint.blockCount - 1;
}

/** A checkpoint and its blocks, in order. */
interface CheckpointWithBlocks {
  checkpoint: CheckpointRecord;
  blocks: BlockWithBody[];
}

const PUBLICATION = {
  l1: L1_PUBLISHED,
  attestations: about(listOf(ATTESTATION), "Those of the committee's members, in its order."),
};

/**
 * PublishedCheckpoint. As in the reference's answers, the fee asset price modifier is always "0", whatever was
 * proposed.
 */
export function publishedCheckpointEncoder(encodeBlock: Encoder<BlockWithBody>): Encoder<CheckpointWithBlocks> {
  const schema = record("PublishedCheckpoint", "A checkpoint with its blocks and its publication.", {
    checkpoint: record("Checkpoint", "A checkpoint with its blocks.", {
      archive: about(TREE_SNAPSHOT, "The archive after the checkpoint."),
      header: CHECKPOINT_HEADER,
      blocks: about(listOf(encodeBlock.schema), "Its blocks, in their order."),
      number: CHECKPOINT_NUMBER,
      feeAssetPriceModifier: about(SIGNED_DECIMAL, "Always 0 here, whatever was proposed."),
    }),
    ...PUBLICATION,
  });
  return encoder(schema, (out, { checkpoint, blocks }) => {
    out.text('{"checkpoint":{"archive":');
    writeArchive(out, checkpoint.archiveRoot, lastBlock(checkpoint));
    out.text(',"header":');
    encodeCheckpointHeader(out, checkpoint.header);
    out.text(',"blocks":').array(blocks, encodeBlock);
    out.text(',"number":').number(checkpoint.number);
    out.text(',"feeAssetPriceModifier":"0"}');
    encodePublication(out, checkpoint);
    out.text("}");
  });
}

/** A block and the checkpoint that contains it. */
export interface CheckpointedBlock extends BlockWithBody {
  checkpoint: CheckpointRecord;
}

/** CheckpointedL2Block. */
export function checkpointedBlockEncoder(encodeBlock: Encoder<BlockWithBody>): Encoder<CheckpointedBlock> {
  const schema = record("CheckpointedL2Block", "A block and the publication of its checkpoint.", {
    checkpointNumber: CHECKPOINT_NUMBER,
    block: encodeBlock.schema,
    ...PUBLICATION,
  });
  return encoder(schema, (out, block) => {
    out.text('{"checkpointNumber":').number(block.checkpoint.number);
    out.text(',"block":');
    encodeBlock(out, block);
    encodePublication(out, block.checkpoint);
    out.text("}");
  });
}

export const CHECKPOINT_MEMBERS = {
  header: CHECKPOINT_HEADER,
  archive: about(TREE_SNAPSHOT, "The archive after the checkpoint."),
  checkpointOutHash: about(FIELD, "Root of the checkpoint's messages to L1; zero without any."),
  startBlock: about(BLOCK_NUMBER, "Its first block."),
  blockCount: about(COUNT, "How many blocks it has."),
};
const CHECKPOINT_DATA = record("ReleaseCheckpointData", "A checkpoint without its blocks.", {
  ...CHECKPOINT_MEMBERS,
  checkpointNumber: CHECKPOINT_NUMBER,
  ...PUBLICATION,
});

/** CheckpointData. */
export const encodeCheckpointData = encoder<CheckpointRecord>(CHECKPOINT_DATA, (out, checkpoint) => {
  out.text('{"header":');
  encodeCheckpointHeader(out, checkpoint.header);
  out.text(',"archive":');
  writeArchive(out, checkpoint.archiveRoot, lastBlock(checkpoint));
  out.text(',"checkpointOutHash":').word(checkpoint.outHash);
  out.text(',"checkpointNumber":').number(checkpoint.number);
  out.text(',"startBlock":').number(checkpoint.startBlock);
  out.text(',"blockCount":').number(checkpoint.blockCount);
  encodePublication(out, checkpoint);
  out.text("}");
});
