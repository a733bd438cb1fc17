import { toHex } from "../../protocol/bytes.ts";
import { encodeNumber } from "../encoding/json-writer.ts";
import { encodeTips } from "../encoding/v4/tips.ts";
import { TIP_NAMES } from "../params/block-parameter.ts";
import { optional } from "../params/codec.ts";
import { word } from "../params/text.ts";
import { type Method, method, param } from "../registry.ts";
import { tipNumber } from "./reference-block.ts";
import type { NodeServices } from "./services.ts";

const tipParam = param("tip", optional(word(TIP_NAMES), "proposed"));

/** How far the chain has come (sheet 02 section 3.2, sheet 03 sections 3.2 and 4.11). */
export function tipMethods({ chain }: Pick<NodeServices, "chain">): Method[] {
  return [
    method({
      name: "getBlockNumber",
      summary: "Number of the last block at a tip, by default the proposed one",
      params: { node: [], svc: [tipParam] },
      handle: (tip = "proposed") => tipNumber(chain, tip),
      keep: () => "commit",
      returns: "number",
      encode: { node: encodeNumber, svc: encodeNumber },
    }),
    method({
      name: "getCheckpointNumber",
      summary: "Number of the last checkpoint at a tip, by default of the last on L1",
      params: { node: [], svc: [tipParam] },
      handle: (tip?) =>
        tip === "proven" || tip === "finalized" ? chain.tips()[tip].checkpoint.number : chain.latestCheckpointNumber(),
      keep: () => "commit",
      returns: "number",
      encode: { node: encodeNumber, svc: encodeNumber },
    }),
    method({
      name: "getProvenBlockNumber",
      summary: "Number of the last proven block",
      params: [],
      handle: () => chain.provenBlockNumber(),
      keep: () => "commit",
      returns: "number",
      encode: { node: encodeNumber },
    }),
    method({
      name: "getCheckpointedBlockNumber",
      summary: "Number of the last checkpointed block",
      params: [],
      handle: () => chain.checkpointedBlockNumber(),
      keep: () => "commit",
      returns: "number",
      encode: { node: encodeNumber },
    }),
    method({
      name: "getL2Tips",
      summary: "The proposed, checkpointed, proven and finalized tips",
      params: [],
      handle: () => chain.tips(),
      keep: () => "commit",
      returns: "L2Tips",
      encode: { node: encodeTips },
    }),
    method({
      name: "getChainTips",
      summary: "The proposed, checkpointed, proven and finalized tips",
      params: [],
      handle: () => {
        const { proposed, checkpointed, proven, finalized } = chain.tips();
        // The release writes a constant for genesis, which clients of this namespace could not look up.
        const genesis = toHex(chain.block(0)!.hash);
        const named = <T extends { number: number }>(block: T) =>
          block.number === 0 ? { ...block, hash: genesis } : block;
        const tip = ({ block, checkpoint }: typeof proven) => ({ block: named(block), checkpoint });
        return {
          proposed: named(proposed),
          checkpointed: tip(checkpointed),
          proven: tip(proven),
          finalized: tip(finalized),
        };
      },
      keep: () => "commit",
      returns: "ChainTips",
      encode: { svc: encodeTips },
    }),
  ];
}
