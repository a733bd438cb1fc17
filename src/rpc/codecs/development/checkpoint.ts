import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import { encoder } from "../json/encoder.ts";
import { about, listOf, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { CHECKPOINT_NUMBER, SIGNED_DECIMAL } from "../json/scalars.ts";
import { CHECKPOINT_MEMBERS, encodeCheckpointHeader } from "../release/checkpoint.ts";
import { encodeBlock, type ShownBlock, writeArchive } from "./block.ts";
import {
  encodeAttestation,
  encodePublished,
  PUBLICATION_MEMBERS,
  type PublicationOptions,
  writePublication,
} from "./publication.ts";

/** A checkpoint and the parts of it that an answer includes. */
export interface ShownCheckpoint extends PublicationOptions {
  checkpoint: CheckpointRecord;
  /** Undefined leaves the blocks out. */
  blocks: ShownBlock[] | undefined;
}

/** Members after the first one that all forms share. */
function writeCheckpoint(out: JsonWriter, checkpoint: CheckpointRecord): void {
  const { startBlock, blockCount } = checkpoint;
  out.text(',"header":');
  encodeCheckpointHeader(out, checkpoint.header);
  out.text(',"archive":');
  writeArchive(out, checkpoint.archiveRoot, startBlock + blockCount - 1);
  out.text(',"checkpointOutHash":').word(checkpoint.outHash);
  out.text(`,"startBlock":${startBlock},"blockCount":${blockCount}`);
  out.text(`,"feeAssetPriceModifier":"${checkpoint.feeAssetPriceModifier}"`);
}

const MEMBERS = {
  ...CHECKPOINT_MEMBERS,
  feeAssetPriceModifier: about(SIGNED_DECIMAL, "How it changed the price of the fee asset, in basis points."),
};
const CHECKPOINT = record(
  "CheckpointResponse",
  "A checkpoint, as much of it as was asked for.",
  { number: CHECKPOINT_NUMBER, ...MEMBERS },
  {
    blocks: about(listOf(encodeBlock.schema), "Its blocks, in their order; only with includeBlocks."),
    ...PUBLICATION_MEMBERS,
  },
);

/** CheckpointResponse (docs/protocol/05-rpc.md#518-checkpoint-objects). */
export const encodeCheckpoint = encoder<ShownCheckpoint>(CHECKPOINT, (out, shown) => {
  const { checkpoint, blocks } = shown;
  out.text(`{"number":${checkpoint.number}`);
  writeCheckpoint(out, checkpoint);
  if (blocks !== undefined) out.text(',"blocks":').array(blocks, encodeBlock);
  writePublication(out, checkpoint, shown);
  out.text("}");
});

const CHECKPOINT_DATA = record("CheckpointData", "A checkpoint without its blocks.", {
  checkpointNumber: CHECKPOINT_NUMBER,
  ...MEMBERS,
  attestations: about(listOf(encodeAttestation.schema), "Those of the committee's members, in its order."),
  l1: encodePublished.schema,
});

/** CheckpointData (docs/protocol/05-rpc.md#518-checkpoint-objects). */
export const encodeCheckpointData = encoder<CheckpointRecord>(CHECKPOINT_DATA, (out, checkpoint) => {
  out.text(`{"checkpointNumber":${checkpoint.number}`);
  writeCheckpoint(out, checkpoint);
  out.text(',"attestations":').array(checkpoint.attestations, encodeAttestation);
  out.text(',"l1":');
  encodePublished(out, checkpoint.l1);
  out.text("}");
});
