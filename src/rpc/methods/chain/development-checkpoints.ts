import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { ChainReader } from "../../../archiver/types.ts";
import { checkpointSlot } from "../../../protocol/checkpoint-header.ts";
import { encodeCheckpoint, encodeCheckpointData, type ShownCheckpoint } from "../../codecs/development/checkpoint.ts";
import {
  type CheckpointSelector,
  type CheckpointsQuery,
  checkpointSelector,
  checkpointsQuery,
} from "../../codecs/development/checkpoint-selector.ts";
import { described, issuesError, object, optional, typed } from "../../codecs/json/codec.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { boolean } from "../../codecs/json/text.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { blocksOf, checkpointsFrom, checkpointsOfEpoch } from "./checkpoints.ts";
import { shownBlock } from "./development-blocks.ts";
import { fromParam, limitParam, wholeLimit } from "./listing.ts";
import type { BlockSource } from "./reference-block.ts";

/** Most checkpoints per list with blocks. */
const MAX_WHOLE_CHECKPOINTS = 50;

const flag = optional(boolean, false);
const include = typed(
  object({
    includeBlocks: described(flag, "Whether to show the checkpoint's blocks."),
    includeTransactions: described(flag, "Whether these have their bodies; only with includeBlocks."),
    includeL1PublishInfo: described(flag, "Whether to show the L1 block in which it was published."),
    includeAttestations: described(flag, "Whether to show the attestations to it."),
  }),
  "CheckpointIncludeOptions",
  "What is shown of a checkpoint; all false by default.",
);
const NOTHING_INCLUDED = {
  includeBlocks: false,
  includeTransactions: false,
  includeL1PublishInfo: false,
  includeAttestations: false,
};
const optionsParam = param("options", optional(include, NOTHING_INCLUDED));

/**
 * Number of the first checkpoint at or after a slot, latest + 1 if there is none. Slots rise with checkpoint numbers.
 */
function firstFromSlot(chain: ChainReader, slot: number): number {
  let low = 1;
  let high = chain.latestCheckpointNumber() + 1;
  while (low < high) {
    const middle = (low + high) >>> 1;
    const checkpoint = chain.checkpoint(middle);
    if (checkpoint === undefined || checkpointSlot(checkpoint.header) < slot) low = middle + 1;
    else high = middle;
  }
  return low;
}

function selected(chain: ChainReader, selector: CheckpointSelector): CheckpointRecord | undefined {
  if (typeof selector === "string") {
    const number =
      selector === "proven" || selector === "finalized"
        ? chain.tips()[selector].checkpoint.number
        : chain.latestCheckpointNumber();
    return chain.checkpoint(number);
  }
  if ("slot" in selector) {
    const found = chain.checkpoint(firstFromSlot(chain, selector.slot));
    return found !== undefined && checkpointSlot(found.header) === selector.slot ? found : undefined;
  }
  const { number } = selector;
  return number >= 1 && number <= chain.latestCheckpointNumber() ? chain.checkpoint(number) : undefined;
}

function bySlot(chain: ChainReader, slot: number, limit: number, reverse: boolean): CheckpointRecord[] {
  if (!reverse) return checkpointsFrom(chain, firstFromSlot(chain, slot), limit);
  const last = firstFromSlot(chain, slot + 1) - 1;
  const first = Math.max(1, last - limit + 1);
  return checkpointsFrom(chain, first, last - first + 1).toReversed();
}

function queried(chain: ChainReader, query: CheckpointsQuery): CheckpointRecord[] {
  if ("epoch" in query) return checkpointsOfEpoch(chain, query.epoch);
  if ("fromSlot" in query) return bySlot(chain, query.fromSlot, query.limit, query.reverse);
  return checkpointsFrom(chain, query.from, query.limit);
}

/** Checkpoints in the development form (docs/protocol/05-rpc.md#518-checkpoint-objects). Only those on L1 are shown. */
export function developmentCheckpointMethods(source: BlockSource): Method[] {
  const { chain } = source;
  const shown = (checkpoint: CheckpointRecord, options: typeof NOTHING_INCLUDED): ShownCheckpoint => {
    // Publication data is given for the checkpoint and not repeated for each block.
    const ofBlocks = {
      includeTransactions: options.includeTransactions,
      includeL1PublishInfo: false,
      includeAttestations: false,
    };
    return {
      checkpoint,
      blocks: options.includeBlocks
        ? blocksOf(chain, checkpoint).map((block) => shownBlock(source, block, ofBlocks, () => checkpoint))
        : undefined,
      includeL1PublishInfo: options.includeL1PublishInfo,
      includeAttestations: options.includeAttestations,
    };
  };

  return [
    method({
      name: "getCheckpoint",
      summary: "Checkpoint by number, slot or tip, as much of it as asked for",
      params: [param("param", checkpointSelector), optionsParam],
      handle: (selector, options) => {
        const checkpoint = selected(chain, selector);
        return checkpoint && shown(checkpoint, options);
      },
      long: (_selector, { includeBlocks }) => includeBlocks,
      keep: () => "commit",
      nothing: "for a checkpoint that is not on L1",
      encode: { svc: encodeCheckpoint },
    }),
    method({
      name: "getCheckpoints",
      summary: "Checkpoints from a number on, as many as there are; at most 50 with blocks",
      params: [fromParam, limitParam(chain.generation.api.maxListed), optionsParam],
      handle: (from, limit, options) => {
        if (options.includeBlocks && limit > MAX_WHOLE_CHECKPOINTS) {
          throw issuesError([{ text: `Number must be less than or equal to ${MAX_WHOLE_CHECKPOINTS}`, path: [1] }]);
        }
        return checkpointsFrom(chain, from, wholeLimit(limit)).map((checkpoint) => shown(checkpoint, options));
      },
      long: () => true,
      keep: () => "commit",
      encode: { svc: encodeArray(encodeCheckpoint) },
    }),
    method({
      name: "getCheckpointsData",
      summary: "Checkpoints of a range, an epoch or around a slot, without their blocks",
      params: [param("query", checkpointsQuery)],
      handle: (query) => queried(chain, query),
      long: () => true,
      keep: () => "commit",
      encode: { svc: encodeArray(encodeCheckpointData) },
    }),
  ];
}
