import type { BlockRecord } from "../../../archiver/tables/records.ts";
import { readTxEffects, type TxEffect } from "../../../protocol/tx-effect.ts";
import { type Encoder, encoder } from "../json/encoder.ts";
import { about, COUNT, type JsonSchema, listOf, members, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { CHECKPOINT_NUMBER } from "../json/scalars.ts";
import { encodeBlockHeader, TREE_SNAPSHOT } from "./block-header.ts";

/** A block and its tx words. */
export interface BlockWithBody {
  block: BlockRecord;
  body: Uint8Array;
}

/** AppendOnlyTreeSnapshot of the archive after a block; all zero for genesis. */
export function writeArchive(out: JsonWriter, root: Uint8Array, blockNumber: number): void {
  out.text('{"root":').word(root);
  out
    .text(',"nextAvailableLeafIndex":')
    .number(blockNumber === 0 ? 0 : blockNumber + 1)
    .text("}");
}

/** Schema of a block's body with an API's form of tx effects. */
export function bodyOf(encodeEffect: Encoder<TxEffect>): JsonSchema {
  const effects = about(listOf(encodeEffect.schema), "One for each transaction, in their order.");
  return about(members({ txEffects: effects }), "What the block's transactions did.");
}

/** L2Block (docs/protocol/05-rpc.md#515-block-objects). */
export function blockEncoder(encodeTxEffect: Encoder<TxEffect>): Encoder<BlockWithBody> {
  const schema = record("L2Block", "A block of the rollup.", {
    archive: about(TREE_SNAPSHOT, "The archive after the block; all zero for genesis."),
    header: encodeBlockHeader.schema,
    body: bodyOf(encodeTxEffect),
    checkpointNumber: about(CHECKPOINT_NUMBER, "The checkpoint that the block is in."),
    indexWithinCheckpoint: about(COUNT, "The block's place in its checkpoint, from 0."),
  });
  return encoder(schema, (out, { block, body }) => {
    out.text('{"archive":');
    writeArchive(out, block.archiveRoot, block.number);
    out.text(',"header":');
    encodeBlockHeader(out, block.header);
    out.text(',"body":{"txEffects":').array(readTxEffects(body), encodeTxEffect);
    out.text('},"checkpointNumber":').number(block.checkpointNumber);
    out.text(',"indexWithinCheckpoint":').number(block.indexWithinCheckpoint).text("}");
  });
}
