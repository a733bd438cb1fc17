import type { BlockRecord } from "../../../archiver/tables/records.ts";
import type { ChainReader } from "../../../archiver/types.ts";
import { headerBlockNumber } from "../../../protocol/block-header.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { field } from "../../codecs/json/field.ts";
import type { BlockWithBody } from "../../codecs/release/block.ts";
import { encodeBlockHeader } from "../../codecs/release/block-header.ts";
import { EFFECT_FORMS } from "../../codecs/release/effect-forms.ts";
import { blockParameter } from "../../codecs/shared/block-parameter.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { always, type Method, method, never, param } from "../../registry/registry.ts";
import { fromParam, limitParam, wholeLimit } from "./listing.ts";
import { type BlockSource, blockNumberOf, isByContents } from "./reference-block.ts";

const EMPTY_BODY = new Uint8Array();

/**
 * Lists of up to this many blocks are not long calls: a full block takes some milliseconds to write, an ordinary one a
 * tenth.
 */
export const FEW_BLOCKS = 2;

/** Most blocks per list in the release namespace. */
export const MAX_BLOCKS = 50;

export function blockAt(chain: ChainReader, number: number | undefined): BlockRecord | undefined {
  return number === undefined || number > chain.latestBlockNumber() ? undefined : chain.block(number);
}

export function bodyOf(chain: ChainReader, block: BlockRecord): Uint8Array {
  return chain.blockBody(block.number) ?? EMPTY_BODY;
}

/** Blocks from `from` to at most `last`, at most `limit`, up to the first missing one. */
export function blocksFrom(chain: ChainReader, from: number, limit: number, last: number): BlockRecord[] {
  const blocks: BlockRecord[] = [];
  for (let number = from; number <= last && blocks.length < limit; number++) {
    const block = chain.block(number);
    if (block === undefined) break;
    blocks.push(block);
  }
  return blocks;
}

export function withBody(chain: ChainReader, block: BlockRecord): BlockWithBody {
  return { block, body: bodyOf(chain, block) };
}

/**
 * Blocks and headers by number, hash and archive root in the release's form
 * (docs/protocol/05-rpc.md#516-reading-blocks).
 */
export function blockMethods(source: BlockSource & Pick<NodeServices, "status">): Method[] {
  const { chain, status } = source;
  const { encodeBlock } = EFFECT_FORMS[status.revertWords];
  const whole = (block: BlockRecord | undefined) => (block === undefined ? undefined : withBody(chain, block));
  /** A checkpointed block's place in its checkpoint follows from the slots of the blocks that its hash stands for. */
  const isCheckpointed = (number: number) => number <= chain.checkpointedBlockNumber();
  /** Only checkpointed blocks are found by hash and by archive. */
  const checkpointed = (number: number | undefined) =>
    number !== undefined && isCheckpointed(number) ? whole(blockAt(chain, number)) : undefined;

  return [
    method({
      name: "getBlock",
      summary: "Block by number or hash; by hash only when it is checkpointed",
      params: [param("block", blockParameter)],
      handle: (reference) =>
        reference instanceof Uint8Array
          ? checkpointed(chain.blockNumberByHash(reference))
          : whole(blockAt(chain, blockNumberOf(source, reference))),
      long: never,
      // Found by hash, a block must also stay checkpointed.
      keep: ({ block }, reference) => (typeof reference === "number" ? block.number : "commit"),
      immutable: ({ block }, reference) => isByContents(reference) && isCheckpointed(block.number),
      nothing: "for a block that is not there",
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlockByHash",
      summary: "Checkpointed block by hash",
      params: [param("blockHash", field, "Hash of the block.")],
      handle: (hash) => checkpointed(chain.blockNumberByHash(hash)),
      long: never,
      keep: () => "commit",
      immutable: always,
      nothing: "for a block that is not there, or not checkpointed",
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlockByArchive",
      summary: "Checkpointed block by the archive root after it",
      params: [param("archive", field, "Root of the archive after the block.")],
      handle: (root) => checkpointed(chain.blockNumberByArchive(root)),
      long: never,
      keep: () => "commit",
      immutable: always,
      nothing: "for a block that is not there, or not checkpointed",
      encode: { node: encodeBlock },
    }),
    method({
      name: "getBlocks",
      summary: "Blocks from a number on, as many as there are",
      params: [fromParam, limitParam(MAX_BLOCKS)],
      handle: (from, limit) =>
        blocksFrom(chain, from, wholeLimit(limit), chain.latestBlockNumber()).map((block) => withBody(chain, block)),
      long: (_from, limit) => limit > FEW_BLOCKS,
      keep: (blocks, _from, limit) => (blocks.length === limit ? blocks[limit - 1].block.number : "commit"),
      encode: { node: encodeArray(encodeBlock) },
    }),
    method({
      name: "getBlockHeader",
      summary: "Header of a block, by default of the latest",
      params: [param("block", optional(blockParameter, "latest"))],
      handle: (reference) => blockAt(chain, blockNumberOf(source, reference))?.header,
      keep: (header, reference) => (typeof reference === "number" ? headerBlockNumber(header) : "commit"),
      immutable: (_header, reference) => isByContents(reference),
      nothing: "for a block that is not there",
      encode: { node: encodeBlockHeader },
    }),
    method({
      name: "getBlockHeaderByArchive",
      summary: "Header of the block with this archive root after it",
      params: [param("archive", field, "Root of the archive after the block.")],
      handle: (root) => blockAt(chain, chain.blockNumberByArchive(root))?.header,
      keep: headerBlockNumber,
      immutable: always,
      nothing: "for a block that is not there",
      encode: { node: encodeBlockHeader },
    }),
  ];
}
