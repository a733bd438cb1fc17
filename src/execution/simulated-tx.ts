import type { DebugLog, ExecutedTx, GasUsed, RevertReason } from "./executed-tx.ts";

/**
 * Return values of one app logic call; nested calls are not shown
 * (docs/protocol/06-public-execution.md#631-revert-reasons).
 */
interface ReturnedValues {
  /** n x 32 bytes. */
  values: Uint8Array;
  nested: [];
}

/** An executed tx in the form of a simulation's result. */
export interface SimulatedTx {
  revert?: RevertReason;
  effect: ExecutedTx["effect"];
  returned: ReturnedValues[];
  gasUsed: GasUsed;
  debugLogs: DebugLog[];
}

/** Execution options of a simulation request: with revert reasons and debug logs. */
export const SIMULATION = { recordCalls: true, collectDebugLogs: true } as const;

export function simulatedTx({ effect, gasUsed, calls, revertReason, debugLogs }: ExecutedTx): SimulatedTx {
  return {
    ...(revertReason && { revert: revertReason }),
    effect,
    returned: calls.filter(({ phase }) => phase === "app").map(({ output }) => ({ values: output, nested: [] })),
    gasUsed,
    debugLogs,
  };
}
