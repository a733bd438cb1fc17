import type { ExecutedTx } from "../execution/executed-tx.ts";
import { type FunctionNames, shownStack } from "../execution/revert-reason.ts";
import { toHex } from "../protocol/bytes.ts";
import type { Logger } from "../telemetry/logger.ts";

/** Logs the reason and the call stack of each reverted tx in a block. Requires that their calls were recorded. */
export function logReverts(processed: readonly ExecutedTx[], names: FunctionNames, logger: Pick<Logger, "info">): void {
  for (const { hash, revertReason } of processed) {
    if (revertReason === undefined) continue;
    const calls = shownStack(revertReason, names);
    logger.info({ tx: toHex(hash), reason: revertReason.originalMessage, calls }, "a tx of the block reverted");
  }
}
