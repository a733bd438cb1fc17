import type { BlockRecord, ChainReader } from "../../archiver/types.ts";
import { encodeArray } from "../encoding/json-writer.ts";
import { type BlockWithBody, encodeBlock } from "../encoding/v4/block.ts";
import { encodeBlockHeader } from "../encoding/v4/block-header.ts";
import { ExecutionError } from "../jsonrpc/errors.ts";
import { blockParameter } from "../params/block-parameter.ts";
import { optional } from "../params/codec.ts";
import { field } from "../params/field.ts";
import { integer, plainNumber } from "../params/number.ts";
import { type Method, method, param } from "../registry.ts";
import { blockNumberOf } from "./reference-block.ts";
import type { NodeServices } from "./services.ts";

const EMPTY_BODY = new Uint8Array();

/** Parameters of the methods that list blocks or checkpoints from a number on. */
export const fromParam = param("from", integer({ least: 1 }));
export const limitParam = param("limit", plainNumber({ above: 0, most: 50 }));

/** Throws an ExecutionError for a fraction, which the parameter's form allows. */
export function wholeLimit(limit: number): number {
  if (!Number.isInteger(limit)) throw new ExecutionError(`BlockNumber must be an integer, got ${limit}`);
  return limit;
}

export function blockAt(chain: ChainReader, number: number | undefined): BlockRecord | undefined {
  return number === undefined || number > chain.latestBlockNumber() ? undefined : chain.block(number);
}

export function withBody(chain: ChainReader, block: BlockRecord): BlockWithBody {
  return { block, body: chain.blockBody(block.number) ?? EMPTY_BODY };
}

/** Blocks `from` to at most `last`, at most `limit` of them. */
export function blocksFrom(chain: ChainReader, from: number, limit: number, last: number): BlockWithBody[] {
  const blocks: BlockWithBody[] = [];
  for (let number = from; number <= last && blocks.length < limit; number++) {
    const block = chain.block(number);
    if (block === undefined) break;
    blocks.push(withBody(chain, block));
  }
  return blocks;
}

/** Blocks and headers by number, hash and archive root (sheet 02 section 3.2). */
export function blockMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  const whole = (block: BlockRecord | undefined) => (block === undefined ? undefined : withBody(chain, block));
  /** By hash and by archive only checkpointed blocks are found. */
  const checkpointed = (number: number | undefined) =>
    number !== undefined && number <= chain.checkpointedBlockNumber() ? whole(blockAt(chain, number)) : undefined;

  return [
    method({
      name: "getBlock",
      params: [param("block", blockParameter)],
      handle: (reference) =>
        reference instanceof Uint8Array
          ? checkpointed(chain.blockNumberByHash(reference))
          : whole(blockAt(chain, blockNumberOf(chain, reference))),
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlockByHash",
      params: [param("blockHash", field)],
      handle: (hash) => checkpointed(chain.blockNumberByHash(hash)),
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlockByArchive",
      params: [param("archive", field)],
      handle: (root) => checkpointed(chain.blockNumberByArchive(root)),
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlocks",
      params: [fromParam, limitParam],
      handle: (from, limit) => blocksFrom(chain, from, wholeLimit(limit), chain.latestBlockNumber()),
      encode: { node: encodeArray(encodeBlock) },
    }),
    method({
      name: "getBlockHeader",
      params: [param("block", optional(blockParameter, "latest"))],
      handle: (reference) => blockAt(chain, blockNumberOf(chain, reference))?.header,
      encode: { node: encodeBlockHeader },
    }),
    method({
      name: "getBlockHeaderByArchive",
      params: [param("archive", field)],
      handle: (root) => blockAt(chain, chain.blockNumberByArchive(root))?.header,
      encode: { node: encodeBlockHeader },
    }),
  ];
}
