import { toFunctionSelector } from "viem";
import { equal, fromHex, toHex } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import { AbiWords } from "../abi/abi-words.ts";
import { MULTICALL3_ADDRESS, multicall3Abi } from "../abi/multicall3.ts";
import type { ProposeDecoder } from "./decoder.ts";
import { isProposeCall } from "./propose-call.ts";

const AGGREGATE3 = fromHex(toFunctionSelector(multicall3Abi[0]));

/** Inner calls of an aggregate3: target, whether it may fail, calldata. None if the input is malformed. */
function innerCalls(input: Uint8Array): { target: string; calldata: Uint8Array }[] {
  if (!equal(input.subarray(0, 4), AGGREGATE3)) return [];
  try {
    return new AbiWords("aggregate3", input.subarray(4))
      .tupleArray(0)
      .map((call) => ({ target: toHex(call.address(0)), calldata: call.bytes(2) }));
  } catch (error) {
    if (error instanceof DecodeError) return [];
    throw error;
  }
}

/** The transaction calls Multicall3's aggregate3; several inner calls may look like a proposal. */
export const multicall3Decoder: ProposeDecoder = {
  name: "Multicall3",
  candidates({ to, input }, { rollupAddress, generation }) {
    if (to !== MULTICALL3_ADDRESS) return [];
    return innerCalls(input)
      .filter(({ target }) => target === rollupAddress)
      .map(({ calldata }) => calldata)
      .filter((calldata) => isProposeCall(calldata, generation));
  },
};
