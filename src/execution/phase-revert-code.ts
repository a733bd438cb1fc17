import type { ExecutedTx } from "./executed-tx.ts";

/**
 * The revert code of a tx in releases before 4.3, which tell the reverted phases apart: app logic 1, teardown 2, both 3
 * (docs/protocol/06-public-execution.md#625-revert-codes).
 */
export function phaseRevertCode({ calls }: Pick<ExecutedTx, "calls">): number {
  const reverted = (phase: "app" | "teardown") => calls.some((call) => call.phase === phase && call.reverted);
  return (reverted("app") ? 1 : 0) + (reverted("teardown") ? 2 : 0);
}
