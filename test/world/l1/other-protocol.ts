import { toFunctionSelector } from "viem";
import type { Lie } from "./lying-l1.ts";

/** What the rollups of v5 commit to. */
export const V5 = {
  vkTreeRoot: "0x2b3b6ea4412b9c8f6457a37f91a2870306f8641e07e16a49b68bda6f8bc02892",
  protocolContractsHash: "0x2c075866eafc88a1f6f9addc7e337c6e64e45d1cb7fd7c0d612ebcec72aab2ca",
};

/** The rollup says of itself that it commits to these, as rollups since v5 do; those of v4 have no such functions. */
export function rollupOf(commitments: typeof V5, otherwise?: Lie): Lie {
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
