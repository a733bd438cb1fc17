import { optional } from "../../codecs/json/codec.ts";
import { integer } from "../../codecs/json/number.ts";
import { l1Address } from "../../codecs/shared/l1-address.ts";
import { encodeSingleValidatorStats, encodeValidatorsStats } from "../../codecs/shared/validator-stats.ts";
import type { NodeServices } from "../../ports/node-services.ts";
import { type Method, method, param } from "../../registry/registry.ts";

/** How validators performed their duties (docs/protocol/05-rpc.md#531-validators). */
export function validatorMethods({ validatorStats }: Pick<NodeServices, "validatorStats">): Method[] {
  const slot = optional(integer({ least: 0 }));
  return [
    method({
      name: "getValidatorsStats",
      summary: "Statistics of all validators; empty where none are kept",
      params: [],
      handle: () => validatorStats.all(),
      encode: { node: encodeValidatorsStats, svc: encodeValidatorsStats },
    }),
    method({
      name: "getValidatorStats",
      summary: "Statistics of one validator in a range of slots",
      params: [
        param("validatorAddress", l1Address),
        param("fromSlot", slot, "The first slot; by default that of the history."),
        param("toSlot", slot, "The last slot; by default that of the history."),
      ],
      handle: (validator, fromSlot, toSlot) => validatorStats.of(validator, fromSlot, toSlot),
      nothing: "without statistics of the validator",
      encode: { node: encodeSingleValidatorStats, svc: encodeSingleValidatorStats },
    }),
  ];
}
