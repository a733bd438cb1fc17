import type { BlockRecord } from "../../../archiver/types.ts";
import { readTxEffects } from "../../../protocol/tx-effect.ts";
import type { JsonWriter } from "../json-writer.ts";
import { encodeBlockHeader } from "./block-header.ts";
import { encodeTxEffect } from "./tx-effect.ts";

/** A block and its tx words. */
export interface BlockWithBody {
  block: BlockRecord;
  body: Uint8Array;
}

/** AppendOnlyTreeSnapshot of the archive after a block; all zero for genesis. */
export function encodeArchive(out: JsonWriter, root: Uint8Array, blockNumber: number): void {
  out.text('{"root":').word(root);
  out
    .text(',"nextAvailableLeafIndex":')
    .number(blockNumber === 0 ? 0 : blockNumber + 1)
    .text("}");
}

/** L2Block (sheet 02 section 4.3). */
export function encodeBlock(out: JsonWriter, { block, body }: BlockWithBody): void {
  out.text('{"archive":');
  encodeArchive(out, block.archiveRoot, block.number);
  out.text(',"header":');
  encodeBlockHeader(out, block.header);
  out.text(',"body":{"txEffects":').array(readTxEffects(body), encodeTxEffect);
  out.text('},"checkpointNumber":').number(block.checkpointNumber);
  out.text(',"indexWithinCheckpoint":').number(block.indexWithinCheckpoint).text("}");
}
