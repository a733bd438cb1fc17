import type { CheckpointRecord } from "../../../archiver/types.ts";
import type { CommitteeAttestation, L1Block } from "../../../l1/types.ts";
import { CHECKPOINT_AT, type CheckpointHeader, checkpointSlot } from "../../../protocol/checkpoint-header.ts";
import type { JsonWriter } from "../json-writer.ts";
import { type BlockWithBody, encodeArchive, encodeBlock } from "./block.ts";
import { encodeGasFees } from "./block-header.ts";

/** CheckpointHeader (sheet 02 section 4.4). */
export function encodeCheckpointHeader(out: JsonWriter, header: CheckpointHeader): void {
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
  out.text(',"totalManaUsed":').word(header, CHECKPOINT_AT.totalManaUsed).text("}");
}

/** L1PublishedData. */
function encodePublished(out: JsonWriter, l1: L1Block): void {
  out.text('{"blockNumber":').decimal(l1.number);
  out.text(',"timestamp":').decimal(l1.timestamp);
  out.text(',"blockHash":').hex(l1.hash).text("}");
}

/** A signature's recovery byte is written without padding, so that an absent signature is 128 zeros and one more. */
function encodeAttestation(out: JsonWriter, { address, signature }: CommitteeAttestation): void {
  out.text('{"address":').hex(address);
  const digits = signature === undefined ? "0".repeat(128) : Buffer.from(signature.subarray(0, 64)).toString("hex");
  out.text(`,"signature":"0x${digits}${(signature?.[64] ?? 0).toString(16)}"}`);
}

function encodePublication(out: JsonWriter, { l1, attestations }: CheckpointRecord): void {
  out.text(',"l1":');
  encodePublished(out, l1);
  out.text(',"attestations":').array(attestations, encodeAttestation);
}

function lastBlock(checkpoint: CheckpointRecord): number {
  return checkpoint.startBlock + checkpoint.blockCount - 1;
}

/** A checkpoint with its blocks in order. */
export interface CheckpointWithBlocks {
  checkpoint: CheckpointRecord;
  blocks: BlockWithBody[];
}

/** PublishedCheckpoint. The fee asset price modifier is "0" in the reference's answers, whatever was proposed. */
export function encodePublishedCheckpoint(out: JsonWriter, { checkpoint, blocks }: CheckpointWithBlocks): void {
  out.text('{"checkpoint":{"archive":');
  encodeArchive(out, checkpoint.archiveRoot, lastBlock(checkpoint));
  out.text(',"header":');
  encodeCheckpointHeader(out, checkpoint.header);
  out.text(',"blocks":').array(blocks, encodeBlock);
  out.text(',"number":').number(checkpoint.number);
  out.text(',"feeAssetPriceModifier":"0"}');
  encodePublication(out, checkpoint);
  out.text("}");
}

/** A block and the checkpoint that carries it. */
export interface CheckpointedBlock extends BlockWithBody {
  checkpoint: CheckpointRecord;
}

/** CheckpointedL2Block. */
export function encodeCheckpointedBlock(out: JsonWriter, block: CheckpointedBlock): void {
  out.text('{"checkpointNumber":').number(block.checkpoint.number);
  out.text(',"block":');
  encodeBlock(out, block);
  encodePublication(out, block.checkpoint);
  out.text("}");
}

/** CheckpointData. */
export function encodeCheckpointData(out: JsonWriter, checkpoint: CheckpointRecord): void {
  out.text('{"header":');
  encodeCheckpointHeader(out, checkpoint.header);
  out.text(',"archive":');
  encodeArchive(out, checkpoint.archiveRoot, lastBlock(checkpoint));
  out.text(',"checkpointOutHash":').word(checkpoint.outHash);
  out.text(',"checkpointNumber":').number(checkpoint.number);
  out.text(',"startBlock":').number(checkpoint.startBlock);
  out.text(',"blockCount":').number(checkpoint.blockCount);
  encodePublication(out, checkpoint);
  out.text("}");
}
