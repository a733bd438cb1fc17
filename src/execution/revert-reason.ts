import { isZero } from "../protocol/bytes.ts";
import type { ExecutedCall, RevertReason } from "./executed-tx.ts";
import type { CallRecord } from "./vm/call-records.ts";

/** What is said of a tx whose calls were not recorded. */
const UNKNOWN: RevertReason = {
  originalMessage: "TX reverted",
  functionErrorStack: [],
  noirErrorStack: [],
  revertData: new Uint8Array(0),
};

/** The reason from the calls of a tx with a revert code (sheet 05 section 10.4). */
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

/** The calldata's first field where it fits 4 bytes. */
function selectorOf(calldata: Uint8Array): Uint8Array | undefined {
  if (calldata.length < 32 || !isZero(calldata.subarray(0, 28))) return undefined;
  return calldata.subarray(28, 32);
}
