import { toFunctionSelector } from "viem";
import { V5 } from "../../../src/protocol/generations/v5/v5.ts";
import type { Lie } from "./lying-l1.ts";

/** What a rollup of a later protocol might commit to: other circuits, the contracts of v5. */
export const LATER_PROTOCOL = {
  vkTreeRoot: `0x${"6".repeat(64)}`,
  protocolContractsHash: V5.contracts.protocolContractsHash,
};

/** The rollup says of itself that it commits to these, as rollups since v5 do; those of v4 have no such functions. */
export function rollupOf(commitments: typeof LATER_PROTOCOL, otherwise?: Lie): Lie {
  const answers = new Map([
    [toFunctionSelector("getVkTreeRoot()"), commitments.vkTreeRoot],
    [toFunctionSelector("getProtocolContractsHash()"), commitments.protocolContractsHash],
  ]);
  return {
    answer(call, truth) {
      const [{ data } = {}] = call.params as { data?: `0x${string}` }[];
      const result = call.method === "eth_call" && data !== undefined ? answers.get(data) : undefined;
      if (result !== undefined) return { jsonrpc: "2.0", id: truth.id, result };
      return otherwise?.answer?.(call, truth);
    },
  };
}
