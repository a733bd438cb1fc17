import { isZero, toHex } from "../protocol/bytes.ts";
import type { ExecutedCall, RevertReason } from "./executed-tx.ts";
import type { CallRecord } from "./vm/call-records.ts";

/** Function names by 4-byte selector. */
export interface FunctionNames {
  nameOf(selector: Uint8Array): string | undefined;
}

/** The reason given for a tx whose calls were not recorded. */
const UNKNOWN: RevertReason = {
  originalMessage: "TX reverted",
  functionErrorStack: [],
  noirErrorStack: [],
  revertData: new Uint8Array(0),
};

/** Derives the revert reason from the calls of a tx (docs/protocol/06-public-execution.md#631-revert-reasons). */
export function revertReason(calls: readonly ExecutedCall[]): RevertReason {
  const enqueued = calls.find(({ reverted }) => reverted)?.record;
  if (enqueued === undefined) return UNKNOWN;
  const frames = [enqueued];
  for (let inner = lastReverted(enqueued); inner !== undefined; inner = lastReverted(inner)) frames.push(inner);
  const { haltMessage, output, exitPcs } = frames[frames.length - 1];
  return {
    originalMessage: haltMessage ?? "",
    functionErrorStack: frames.map(({ contract, calldata }) => {
      const functionSelector = selectorOf(calldata);
      return { contractAddress: contract, ...(functionSelector && { functionSelector }) };
    }),
    noirErrorStack: exitPcs.map((pc) => `0.${pc}`),
    revertData: output,
  };
}

function lastReverted({ nested }: CallRecord): CallRecord | undefined {
  return nested.findLast(({ reverted }) => reverted);
}

/** The first field of the calldata if it fits 4 bytes. */
function selectorOf(calldata: Uint8Array): Uint8Array | undefined {
  if (calldata.length < 32 || !isZero(calldata.subarray(0, 28))) return undefined;
  return calldata.subarray(28, 32);
}

/** Adds the known function names to the stack of a reason. */
export function withFunctionNames(reason: RevertReason, names: FunctionNames): RevertReason {
  return {
    ...reason,
    functionErrorStack: reason.functionErrorStack.map((frame) => {
      const functionName = frame.functionSelector && names.nameOf(frame.functionSelector);
      return functionName === undefined ? frame : { ...frame, functionName };
    }),
  };
}

/** The frames of a reason as log text, outermost first: `<contract>.<function name or selector>`. */
export function shownStack(reason: RevertReason, names: FunctionNames): string[] {
  return withFunctionNames(reason, names).functionErrorStack.map((frame) => {
    const { contractAddress, functionSelector, functionName } = frame;
    const called = functionName ?? (functionSelector && toHex(functionSelector)) ?? "(no selector)";
    return `${toHex(contractAddress)}.${called}`;
  });
}
