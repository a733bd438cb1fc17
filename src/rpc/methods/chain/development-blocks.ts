import type { BlockRecord, CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { Lifetime } from "../../cache/result-cache.ts";
import { encodeBlock, encodeBlockData, type ShownBlock } from "../../codecs/development/block.ts";
import { described, issuesError, object, optional, typed } from "../../codecs/json/codec.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { boolean } from "../../codecs/json/text.ts";
import { type BlockSelector, blockSelector } from "../../codecs/shared/block-parameter.ts";
import { type Method, method, never, param } from "../../registry/registry.ts";
import { blockAt, blocksFrom, bodyOf, FEW_BLOCKS } from "./blocks.ts";
import { checkpointLookup } from "./checkpoints.ts";
import { fromParam, limitParam, wholeLimit } from "./listing.ts";
import { type BlockSource, blockNumberOf, isByContents } from "./reference-block.ts";

/** Most blocks per list with bodies. */
const MAX_WHOLE_BLOCKS = 50;

const flag = optional(boolean, false);
const include = {
  includeTransactions: described(flag, "Whether to show the body: the effects of the block's transactions."),
  includeL1PublishInfo: described(flag, "Whether to show the L1 block in which the checkpoint was published."),
  includeAttestations: described(flag, "Whether to show the attestations to the checkpoint."),
};
const blockOptions = typed(object(include), "BlockIncludeOptions", "What is shown of a block; all false by default.");
const listOptions = typed(
  object({ ...include, onlyCheckpointed: described(flag, "Whether to leave out blocks that are not on L1.") }),
  "BlocksIncludeOptions",
  "Which blocks are listed, and what is shown of them; all false by default.",
);
const NOTHING_INCLUDED = { includeTransactions: false, includeL1PublishInfo: false, includeAttestations: false };
export type BlockInclusion = typeof NOTHING_INCLUDED;

/** Archive root after a block. The stored root of genesis is zero, which is what the release shows. */
function archiveAfter({ identity }: BlockSource, block: BlockRecord): Uint8Array {
  return block.number === 0 ? identity.genesisArchiveRoot : block.archiveRoot;
}

/** A block with the parts that the options ask for. */
export function shownBlock(
  source: BlockSource,
  block: BlockRecord,
  options: BlockInclusion,
  checkpointOf: (number: number) => CheckpointRecord | undefined,
): ShownBlock {
  const { includeTransactions, includeL1PublishInfo, includeAttestations } = options;
  return {
    block,
    archiveRoot: archiveAfter(source, block),
    body: includeTransactions ? bodyOf(source.chain, block) : undefined,
    checkpoint: includeL1PublishInfo || includeAttestations ? checkpointOf(block.checkpointNumber) : undefined,
    includeL1PublishInfo,
    includeAttestations,
  };
}

/** A tip moves. Every other selector means the same block while that block is on the chain. */
function lifetimeOf({ number }: BlockRecord, selector: BlockSelector): Lifetime {
  return typeof selector === "string" ? "commit" : number;
}

/** Blocks in the development form (docs/protocol/05-rpc.md#516-reading-blocks). */
export function developmentBlockMethods(source: BlockSource): Method[] {
  const { chain } = source;
  const selectorParam = param("param", blockSelector);
  const isImmutable = ({ number }: BlockRecord, selector: BlockSelector) =>
    isByContents(selector) && number <= chain.checkpointedBlockNumber();
  return [
    method({
      name: "getBlock",
      summary: "Block by number, hash, archive root or tip, as much of it as asked for",
      params: [selectorParam, param("options", optional(blockOptions, NOTHING_INCLUDED))],
      handle: (selector, options) => {
        const block = blockAt(chain, blockNumberOf(source, selector));
        return block && shownBlock(source, block, options, checkpointLookup(chain));
      },
      long: never,
      // A block's L1 data comes and changes with its checkpoint, which a proposed block does not have yet.
      keep: ({ block, includeL1PublishInfo, includeAttestations }, selector) =>
        includeL1PublishInfo || includeAttestations ? "commit" : lifetimeOf(block, selector),
      immutable: ({ block, includeL1PublishInfo, includeAttestations }, selector) =>
        !includeL1PublishInfo && !includeAttestations && isImmutable(block, selector),
      nothing: "for a block that is not there",
      encode: { svc: encodeBlock },
    }),
    method({
      name: "getBlockData",
      summary: "Header and place of a block, without its transactions",
      params: [selectorParam],
      handle: (selector) => {
        const block = blockAt(chain, blockNumberOf(source, selector));
        return block && { block, archiveRoot: archiveAfter(source, block) };
      },
      keep: ({ block }, selector) => lifetimeOf(block, selector),
      immutable: ({ block }, selector) => isImmutable(block, selector),
      nothing: "for a block that is not there",
      encode: { svc: encodeBlockData },
    }),
    method({
      name: "getBlocks",
      summary: "Blocks from a number on, as many as there are; at most 50 with transactions",
      params: [
        fromParam,
        limitParam(chain.generation.api.maxListed),
        param("options", optional(listOptions, { ...NOTHING_INCLUDED, onlyCheckpointed: false })),
      ],
      handle: (from, limit, { onlyCheckpointed, ...options }) => {
        if (options.includeTransactions && limit > MAX_WHOLE_BLOCKS) {
          throw issuesError([{ text: `Number must be less than or equal to ${MAX_WHOLE_BLOCKS}`, path: [1] }]);
        }
        const last = onlyCheckpointed ? chain.checkpointedBlockNumber() : chain.latestBlockNumber();
        const checkpointOf = checkpointLookup(chain);
        return blocksFrom(chain, from, wholeLimit(limit), last).map((block) =>
          shownBlock(source, block, options, checkpointOf),
        );
      },
      long: (_from, limit) => limit > FEW_BLOCKS,
      encode: { svc: encodeArray(encodeBlock) },
    }),
  ];
}
