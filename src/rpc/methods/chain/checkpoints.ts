import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { ChainReader } from "../../../archiver/types.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { integer } from "../../codecs/json/number.ts";
import { type CheckpointedBlock, encodeCheckpointData } from "../../codecs/release/checkpoint.ts";
import { EFFECT_FORMS } from "../../codecs/release/effect-forms.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { blocksFrom, FEW_BLOCKS, MAX_BLOCKS, withBody } from "./blocks.ts";
import { fromParam, limitParam, wholeLimit } from "./listing.ts";

/** Slots are u32, so no later epoch has a slot. */
const LAST_EPOCH = 2 ** 32 - 1;

/** Consecutive checkpoints from `first` on, up to the first missing one. */
export function checkpointsFrom(chain: ChainReader, first: number, limit: number): CheckpointRecord[] {
  const found: CheckpointRecord[] = [];
  const last = chain.latestCheckpointNumber();
  for (let number = first; number <= last && found.length < limit; number++) {
    const checkpoint = chain.checkpoint(number);
    if (checkpoint === undefined) break;
    found.push(checkpoint);
  }
  return found;
}

export function checkpointsOfEpoch(chain: ChainReader, epoch: number): CheckpointRecord[] {
  return epoch <= LAST_EPOCH ? chain.checkpointsOfEpoch(epoch) : [];
}

/** Blocks of a checkpoint. */
export function blocksOf(chain: ChainReader, { startBlock, blockCount }: CheckpointRecord) {
  return blocksFrom(chain, startBlock, blockCount, startBlock + blockCount - 1);
}

/** Returns a lookup of checkpoints by number that remembers the last one, for consecutive blocks. */
export function checkpointLookup(chain: ChainReader): (number: number) => CheckpointRecord | undefined {
  let last: CheckpointRecord | undefined;
  return (number) => {
    if (last?.number !== number) last = chain.checkpoint(number);
    return last;
  };
}

/** Checkpoints as published on L1, in the release's form (docs/protocol/05-rpc.md#518-checkpoint-objects). */
export function checkpointMethods({ chain, status }: Pick<NodeServices, "chain" | "status">): Method[] {
  const { encodeCheckpointedBlock, encodePublishedCheckpoint } = EFFECT_FORMS[status.revertWords];
  return [
    method({
      name: "getCheckpoints",
      summary: "Checkpoints from a number on with their blocks, as many as there are",
      params: [
        param("checkpointNumber", integer({ least: 1 }), "Number of the first checkpoint."),
        limitParam(MAX_BLOCKS),
      ],
      handle: (number, limit) =>
        checkpointsFrom(chain, number, wholeLimit(limit)).map((checkpoint) => ({
          checkpoint,
          blocks: blocksOf(chain, checkpoint).map((block) => withBody(chain, block)),
        })),
      long: () => true,
      keep: () => "commit",
      encode: { node: encodeArray(encodePublishedCheckpoint) },
    }),
    method({
      name: "getCheckpointedBlocks",
      summary: "Checkpointed blocks from a number on with their publication, as many as there are",
      params: [fromParam, limitParam(MAX_BLOCKS)],
      handle: (from, limit) => {
        const checkpointOf = checkpointLookup(chain);
        return blocksFrom(chain, from, wholeLimit(limit), chain.checkpointedBlockNumber()).flatMap(
          (block): CheckpointedBlock[] => {
            const checkpoint = checkpointOf(block.checkpointNumber);
            return checkpoint === undefined ? [] : [{ checkpoint, ...withBody(chain, block) }];
          },
        );
      },
      long: (_from, limit) => limit > FEW_BLOCKS,
      keep: () => "commit",
      encode: { node: encodeArray(encodeCheckpointedBlock) },
    }),
    method({
      name: "getCheckpointsDataForEpoch",
      summary: "Checkpoints of an epoch without their blocks",
      params: [param("epoch", integer({ least: 0 }), "The epoch.")],
      handle: (epoch) => checkpointsOfEpoch(chain, epoch),
      long: () => true,
      keep: () => "commit",
      encode: { node: encodeArray(encodeCheckpointData) },
    }),
  ];
}
