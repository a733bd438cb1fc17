import { decodeFunctionData, type Hex } from "viem";
import { fromHex, toHex } from "../../protocol/bytes.ts";
import { MULTICALL3_ADDRESS, multicall3Abi } from "../abi/multicall3.ts";
import type { ProposeDecoder } from "./decoder.ts";
import { isProposeCall } from "./propose-call.ts";

/** The transaction calls Multicall3's aggregate3; several inner calls may look like a proposal. */
export const multicall3Decoder: ProposeDecoder = {
  name: "Multicall3",
  candidates({ to, input }, { rollupAddress }) {
    if (to !== MULTICALL3_ADDRESS) return [];
    let calls: readonly { target: string; callData: Hex }[];
    try {
      [calls] = decodeFunctionData({ abi: multicall3Abi, data: toHex(input) as Hex }).args;
    } catch {
      return [];
    }
    return calls
      .filter(({ target }) => target.toLowerCase() === rollupAddress)
      .map(({ callData }) => fromHex(callData))
      .filter(isProposeCall);
  },
};
