import type { ChainReader, CheckpointRecord } from "../../archiver/types.ts";
import { encodeArray } from "../encoding/json-writer.ts";
import {
  type CheckpointedBlock,
  type CheckpointWithBlocks,
  encodeCheckpointData,
  encodeCheckpointedBlock,
  encodePublishedCheckpoint,
} from "../encoding/v4/checkpoint.ts";
import { integer } from "../params/number.ts";
import { type Method, method, param } from "../registry.ts";
import { blocksFrom, fromParam, limitParam, wholeLimit } from "./blocks.ts";
import type { NodeServices } from "./services.ts";

/** Slots are u32, so no epoch after this number has one. */
const LAST_EPOCH = 2 ** 32 - 1;

/** Consecutive checkpoints from a number on, up to the first that is missing. */
function checkpointsFrom(chain: ChainReader, first: number, limit: number): CheckpointWithBlocks[] {
  const found: CheckpointWithBlocks[] = [];
  const last = chain.latestCheckpointNumber();
  for (let number = first; number <= last && found.length < limit; number++) {
    const checkpoint = chain.checkpoint(number);
    if (checkpoint === undefined) break;
    const { startBlock, blockCount } = checkpoint;
    found.push({ checkpoint, blocks: blocksFrom(chain, startBlock, blockCount, startBlock + blockCount - 1) });
  }
  return found;
}

function checkpointedBlocksFrom(chain: ChainReader, from: number, limit: number): CheckpointedBlock[] {
  const found: CheckpointedBlock[] = [];
  let checkpoint: CheckpointRecord | undefined;
  for (const { block, body } of blocksFrom(chain, from, limit, chain.checkpointedBlockNumber())) {
    if (checkpoint?.number !== block.checkpointNumber) checkpoint = chain.checkpoint(block.checkpointNumber);
    if (checkpoint !== undefined) found.push({ checkpoint, block, body });
  }
  return found;
}

/** Checkpoints as published on L1 (sheet 02 section 3.2). */
export function checkpointMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  return [
    method({
      name: "getCheckpoints",
      params: [param("checkpointNumber", integer({ least: 1 })), limitParam],
      handle: (number, limit) => checkpointsFrom(chain, number, wholeLimit(limit)),
      encode: { node: encodeArray(encodePublishedCheckpoint) },
    }),
    method({
      name: "getCheckpointedBlocks",
      params: [fromParam, limitParam],
      handle: (from, limit) => checkpointedBlocksFrom(chain, from, wholeLimit(limit)),
      encode: { node: encodeArray(encodeCheckpointedBlock) },
    }),
    method({
      name: "getCheckpointsDataForEpoch",
      params: [param("epoch", integer({ least: 0 }))],
      handle: (epoch) => (epoch <= LAST_EPOCH ? chain.checkpointsOfEpoch(epoch) : []),
      encode: { node: encodeArray(encodeCheckpointData) },
    }),
  ];
}
