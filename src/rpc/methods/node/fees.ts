import type { ManaUsage } from "../../../protocol/fees/predicted-min-fees.ts";
import { optional } from "../../codecs/json/codec.ts";
import { encodeArray } from "../../codecs/json/encoder.ts";
import { word } from "../../codecs/json/text.ts";
import { encodeFees } from "../../codecs/shared/gas-fees.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";
import { fromL1 } from "./l1-answer.ts";

const MANA_USAGES = ["none", "target", "limit"] as const satisfies readonly ManaUsage[];

/** Fees of transactions (docs/protocol/05-rpc.md#530-fees). */
export function feeMethods({ fees, mempool }: Pick<NodeServices, "fees" | "mempool">): Method[] {
  return [
    method({
      name: "getCurrentMinFees",
      summary: "Least fees of the next block",
      params: [],
      handle: () => fromL1(fees.currentMinFees()),
      encode: { node: encodeFees, svc: encodeFees },
    }),
    method({
      name: "getPredictedMinFees",
      summary: "Least fees of the current slot and the next ones for an assumed use of mana",
      params: [
        param(
          "manaUsage",
          optional(word(MANA_USAGES), "target"),
          "How full coming slots are taken to be: empty, at their target (the default), or full.",
        ),
      ],
      handle: (usage) => fromL1(fees.predictedMinFees(usage)),
      encode: { svc: encodeArray(encodeFees) },
    }),
    method({
      name: "getMaxPriorityFees",
      summary: "Priority fees of the pending tx of highest priority",
      params: [],
      handle: () => mempool.maxPriorityFees(),
      encode: { node: encodeFees, svc: encodeFees },
    }),
  ];
}
