import type { DebugLog, ExecutedTx, GasUsed, RevertReason } from "./executed-tx.ts";

/** What one call of app logic returned; calls inside it are not shown (sheet 05 section 10.3). */
export interface ReturnedValues {
  /** n x 32 bytes. */
  values: Uint8Array;
  nested: [];
}

/** An executed tx as the answer to a simulation request shows it. */
export interface SimulatedTx {
  revert?: RevertReason;
  effect: ExecutedTx["effect"];
  returned: ReturnedValues[];
  gasUsed: GasUsed;
  debugLogs: DebugLog[];
}

/** How a tx is executed for a simulation request: with reasons and debug logs. */
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
