import type { ChainReader, ChainTips } from "../../../archiver/types.ts";
import { toHex } from "../../../protocol/bytes.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encodeBlockNumber, encodeCheckpointNumber } from "../../codecs/json/encoder.ts";
import { encodeTips } from "../../codecs/release/tips.ts";
import { tip } from "../../codecs/shared/block-parameter.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { tipNumber } from "./reference-block.ts";

const tipParam = param("tip", optional(tip, "proposed"), "The tip; proposed by default.");

/**
 * The release writes a constant as genesis hash, by which clients of the development namespace could not find the
 * block.
 */
export function developmentTips(chain: ChainReader): ChainTips {
  const { proposed, checkpointed, proven, finalized } = chain.tips();
  const genesis = toHex(chain.block(0)!.hash);
  const named = <T extends { number: number }>(block: T) => (block.number === 0 ? { ...block, hash: genesis } : block);
  const shown = ({ block, checkpoint }: typeof proven) => ({ block: named(block), checkpoint });
  return {
    proposed: named(proposed),
    checkpointed: shown(checkpointed),
    proven: shown(proven),
    finalized: shown(finalized),
  };
}

/**
 * Tips of the chain (docs/protocol/05-rpc.md#519-tips-and-synced-time).
 */
export function tipMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  return [
    method({
      name: "getBlockNumber",
      summary: "Number of the last block at a tip, by default the proposed one",
      params: { node: [], svc: [tipParam] },
      handle: (name = "proposed") => tipNumber(chain, name),
      keep: () => "commit",
      encode: { node: encodeBlockNumber, svc: encodeBlockNumber },
    }),
    method({
      name: "getCheckpointNumber",
      summary: "Number of the last checkpoint at a tip, by default of the last on L1",
      params: { node: [], svc: [tipParam] },
      handle: (name?) =>
        name === "proven" || name === "finalized"
          ? chain.tips()[name].checkpoint.number
          : chain.latestCheckpointNumber(),
      keep: () => "commit",
      encode: { node: encodeCheckpointNumber, svc: encodeCheckpointNumber },
    }),
    method({
      name: "getProvenBlockNumber",
      summary: "Number of the last proven block",
      params: [],
      handle: () => chain.provenBlockNumber(),
      keep: () => "commit",
      encode: { node: encodeBlockNumber },
    }),
    method({
      name: "getCheckpointedBlockNumber",
      summary: "Number of the last checkpointed block",
      params: [],
      handle: () => chain.checkpointedBlockNumber(),
      keep: () => "commit",
      encode: { node: encodeBlockNumber },
    }),
    method({
      name: "getL2Tips",
      summary: "The proposed, checkpointed, proven and finalized tips",
      params: [],
      handle: () => chain.tips(),
      keep: () => "commit",
      encode: { node: encodeTips },
    }),
    method({
      name: "getChainTips",
      summary: "The proposed, checkpointed, proven and finalized tips",
      params: [],
      handle: () => developmentTips(chain),
      keep: () => "commit",
      encode: { node: encodeTips, svc: encodeTips },
    }),
  ];
}
