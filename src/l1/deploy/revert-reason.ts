import { decodeErrorResult } from "viem";
import { readErrorsAbi } from "./artifacts.ts";

function shown(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shown).join(", ")}]`;
  if (typeof value === "object" && value !== null) return `(${Object.values(value).map(shown).join(", ")})`;
  return String(value);
}

/** The error that revert data (0x text) encodes, as text; `otherwise` if it is not a known error. */
export function revertReason(data: string | undefined, otherwise: string): string {
  if (data === undefined || data.length < 10) return `reverted without a reason (${otherwise})`;
  try {
    const { errorName, args = [] } = decodeErrorResult({ abi: readErrorsAbi(), data: data as `0x${string}` });
    if (errorName === "Error") return `reverted: ${shown(args[0])}`;
    return `reverted with ${errorName}(${args.map(shown).join(", ")})`;
  } catch {
    return `${otherwise}, with data ${data.length > 138 ? `${data.slice(0, 138)}...` : data}`;
  }
}
