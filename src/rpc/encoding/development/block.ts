import type { BlockRecord, CheckpointRecord } from "../../../archiver/types.ts";
import { readTxEffects } from "../../../protocol/tx-effect.ts";
import type { JsonWriter } from "../json-writer.ts";
import { encodeBlockHeader } from "../v4/block-header.ts";
import { type PublicationOptions, writePublication } from "./publication.ts";
import { encodeTxEffect } from "./tx-effect.ts";

/** A block and what an answer shows of it. */
export interface ShownBlock extends PublicationOptions {
  block: BlockRecord;
  /** Archive root after the block, for genesis too. */
  archiveRoot: Uint8Array;
  /** Undefined leaves the body out. */
  body: Uint8Array | undefined;
  /** Undefined until the block's checkpoint is on L1. */
  checkpoint: CheckpointRecord | undefined;
}

/** AppendOnlyTreeSnapshot of the archive after a block. */
export function encodeArchive(out: JsonWriter, root: Uint8Array, blockNumber: number): void {
  out
    .text('{"root":')
    .word(root)
    .text(`,"nextAvailableLeafIndex":${blockNumber + 1}}`);
}

function writeHeader(out: JsonWriter, block: BlockRecord, archiveRoot: Uint8Array): void {
  out.text('{"header":');
  encodeBlockHeader(out, block.header);
  out.text(',"archive":');
  encodeArchive(out, archiveRoot, block.number);
}

/** BlockResponse (sheet 03 section 4.7). */
export function encodeBlock(out: JsonWriter, shown: ShownBlock): void {
  const { block, body } = shown;
  writeHeader(out, block, shown.archiveRoot);
  out.text(',"hash":').word(block.hash);
  out.text(`,"checkpointNumber":${block.checkpointNumber},"indexWithinCheckpoint":${block.indexWithinCheckpoint}`);
  out.text(`,"number":${block.number}`);
  if (body !== undefined) out.text(',"body":{"txEffects":').array(readTxEffects(body), encodeTxEffect).text("}");
  writePublication(out, shown.checkpoint, shown);
  out.text("}");
}

/** BlockData (sheet 03 section 4.8). */
export function encodeBlockData(
  out: JsonWriter,
  { block, archiveRoot }: Pick<ShownBlock, "block" | "archiveRoot">,
): void {
  writeHeader(out, block, archiveRoot);
  out.text(',"blockHash":').word(block.hash);
  out.text(`,"checkpointNumber":${block.checkpointNumber},"indexWithinCheckpoint":${block.indexWithinCheckpoint}}`);
}
