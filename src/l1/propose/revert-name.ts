import { type Abi, decodeErrorResult, type Hex } from "viem";
import { rollupErrorsAbi } from "../abi/rollup-errors.ts";

/** With the plain reverts of the language. */
const KNOWN: Abi = rollupErrorsAbi;

/**
 * A revert as a text for the log: the error's name and arguments, the message of a plain revert, or the bytes when nobody knows them.
 * `data` is 0x text.
 */
export function revertName(data: string): string {
  if (data === "0x") return "reverted without a reason";
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: KNOWN, data: data as Hex });
    return errorName === "Error" ? String(args[0]) : `${errorName}(${args.join(", ")})`;
  } catch {
    return `reverted with ${data.length > 74 ? `${data.slice(0, 74)}...` : data}`;
  }
}
