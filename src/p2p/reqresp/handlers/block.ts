import { isZero, readUint } from "../../../protocol/bytes.ts";
import { type L2Block, l2BlockToBytes } from "../../../protocol/consensus/l2-block.ts";
import { WireReader } from "../../../protocol/consensus/wire-reader.ts";
import { NO_BODY, type RequestHandler, success } from "../request-handler.ts";

/** The blocks that peers may ask for. */
export interface ServedBlocks {
  block(number: number): L2Block | undefined;
}

/** Answers with the block of a number; without a body if there is none. */
export function blockHandler(blocks: ServedBlocks): RequestHandler {
  return ({ bytes }) => {
    const reader = new WireReader(bytes, "block request");
    const field = reader.fields(1, "block number");
    if (reader.left > 0) reader.fail("must have 32 bytes");
    // A number beyond six bytes is no block's.
    const block = isZero(field.subarray(0, 26)) ? blocks.block(readUint(field, 26, 6)) : undefined;
    return success(block === undefined ? NO_BODY : l2BlockToBytes(block));
  };
}
