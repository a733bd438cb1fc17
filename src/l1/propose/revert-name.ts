import { type Abi, decodeErrorResult, type Hex } from "viem";
import { rollupErrorsAbi } from "../abi/rollup-errors.ts";

/** Includes Solidity's built-in errors. */
const KNOWN: Abi = rollupErrorsAbi;

/**
 * A revert as text for the log: the error's name and arguments, the message of a plain revert, or the bytes of an
 * unknown error. `data` is 0x text.
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
