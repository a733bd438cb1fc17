import type { BlockRecord, CheckpointRecord } from "../../../archiver/tables/records.ts";
import { readTxEffects } from "../../../protocol/tx-effect.ts";
import { encoder } from "../json/encoder.ts";
import { about, COUNT, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { BLOCK_HASH, BLOCK_NUMBER, CHECKPOINT_NUMBER } from "../json/scalars.ts";
import { bodyOf } from "../release/block.ts";
import { encodeBlockHeader, TREE_SNAPSHOT } from "../release/block-header.ts";
import { PUBLICATION_MEMBERS, type PublicationOptions, writePublication } from "./publication.ts";
import { encodeTxEffect } from "./tx-effect.ts";

/** A block and the parts of it that an answer includes. */
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
export function writeArchive(out: JsonWriter, root: Uint8Array, blockNumber: number): void {
  out
    .text('{"root":')
    .word(root)
    .text(`,"nextAvailableLeafIndex":${blockNumber + 1}}`);
}

function writeHeader(out: JsonWriter, block: BlockRecord, archiveRoot: Uint8Array): void {
  out.text('{"header":');
  encodeBlockHeader(out, block.header);
  out.text(',"archive":');
  writeArchive(out, archiveRoot, block.number);
}

const HEADER_MEMBERS = {
  header: encodeBlockHeader.schema,
  archive: about(TREE_SNAPSHOT, "The archive after the block."),
};
const PLACE_MEMBERS = {
  checkpointNumber: about(CHECKPOINT_NUMBER, "The checkpoint that the block is in."),
  indexWithinCheckpoint: about(COUNT, "The block's place in its checkpoint, from 0."),
};
const BLOCK = record(
  "BlockResponse",
  "A block of the rollup, as much of it as was asked for.",
  { ...HEADER_MEMBERS, hash: BLOCK_HASH, ...PLACE_MEMBERS, number: BLOCK_NUMBER },
  {
    body: about(bodyOf(encodeTxEffect), "What the block's transactions did; only with includeTransactions."),
    ...PUBLICATION_MEMBERS,
  },
);

/** BlockResponse (docs/protocol/05-rpc.md#515-block-objects). */
export const encodeBlock = encoder<ShownBlock>(BLOCK, (out, shown) => {
  const { block, body } = shown;
  writeHeader(out, block, shown.archiveRoot);
  out.text(',"hash":').word(block.hash);
  out.text(`,"checkpointNumber":${block.checkpointNumber},"indexWithinCheckpoint":${block.indexWithinCheckpoint}`);
  out.text(`,"number":${block.number}`);
  if (body !== undefined) out.text(',"body":{"txEffects":').array(readTxEffects(body), encodeTxEffect).text("}");
  writePublication(out, shown.checkpoint, shown);
  out.text("}");
});

const BLOCK_DATA = record("BlockData", "Header and place of a block.", {
  ...HEADER_MEMBERS,
  blockHash: BLOCK_HASH,
  ...PLACE_MEMBERS,
});

/** BlockData (docs/protocol/05-rpc.md#515-block-objects). */
export const encodeBlockData = encoder<Pick<ShownBlock, "block" | "archiveRoot">>(
  BLOCK_DATA,
  (out, { block, archiveRoot }) => {
    writeHeader(out, block, archiveRoot);
    out.text(',"blockHash":').word(block.hash);
    out.text(`,"checkpointNumber":${block.checkpointNumber},"indexWithinCheckpoint":${block.indexWithinCheckpoint}}`);
  },
);
