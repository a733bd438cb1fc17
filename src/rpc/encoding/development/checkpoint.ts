import type { CheckpointRecord } from "../../../archiver/types.ts";
import type { JsonWriter } from "../json-writer.ts";
import { encodeCheckpointHeader } from "../v4/checkpoint.ts";
import { encodeArchive, encodeBlock, type ShownBlock } from "./block.ts";
import { encodeAttestation, encodePublished, type PublicationOptions, writePublication } from "./publication.ts";

/** A checkpoint and what an answer shows of it. */
export interface ShownCheckpoint extends PublicationOptions {
  checkpoint: CheckpointRecord;
  /** Undefined leaves the blocks out. */
  blocks: ShownBlock[] | undefined;
}

/** Members that every form has, after the first one. */
function writeCheckpoint(out: JsonWriter, checkpoint: CheckpointRecord): void {
  const { startBlock, blockCount } = checkpoint;
  out.text(',"header":');
  encodeCheckpointHeader(out, checkpoint.header);
  out.text(',"archive":');
  encodeArchive(out, checkpoint.archiveRoot, startBlock + blockCount - 1);
  out.text(',"checkpointOutHash":').word(checkpoint.outHash);
  out.text(`,"startBlock":${startBlock},"blockCount":${blockCount}`);
  out.text(`,"feeAssetPriceModifier":"${checkpoint.feeAssetPriceModifier}"`);
}

/** CheckpointResponse (sheet 03 section 4.9). */
export function encodeCheckpoint(out: JsonWriter, shown: ShownCheckpoint): void {
  const { checkpoint, blocks } = shown;
  out.text(`{"number":${checkpoint.number}`);
  writeCheckpoint(out, checkpoint);
  if (blocks !== undefined) out.text(',"blocks":').array(blocks, encodeBlock);
  writePublication(out, checkpoint, shown);
  out.text("}");
}

/** CheckpointData (sheet 03 section 4.10). */
export function encodeCheckpointData(out: JsonWriter, checkpoint: CheckpointRecord): void {
  out.text(`{"checkpointNumber":${checkpoint.number}`);
  writeCheckpoint(out, checkpoint);
  out.text(',"attestations":').array(checkpoint.attestations, encodeAttestation);
  out.text(',"l1":');
  encodePublished(out, checkpoint.l1);
  out.text("}");
}
