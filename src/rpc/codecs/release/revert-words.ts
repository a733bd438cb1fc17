import { OK, REVERTED } from "../../../protocol/revert-code.ts";
import type { TxEffect } from "../../../protocol/tx-effect.ts";
import type { RevertWords } from "../../ports/node-status.ts";

/** By revert code (docs/protocol/05-rpc.md#524-receipts-and-the-pool). */
export const EXECUTION_RESULTS = {
  "4.3": ["success", "reverted"],
  "4.1": ["success", "app_logic_reverted", "teardown_reverted", "both_reverted"],
} as const;

/** The revert code of an effect in a release's terms; one that the release does not know is read as REVERTED. */
export function shownRevertCode({ revertCode }: Pick<TxEffect, "revertCode">, words: RevertWords): number {
  if (revertCode === OK) return OK;
  return revertCode < EXECUTION_RESULTS[words].length ? revertCode : REVERTED;
}

/** What a receipt says of an effect. */
export function executionResult(effect: Pick<TxEffect, "revertCode">, words: RevertWords): string {
  return EXECUTION_RESULTS[words][shownRevertCode(effect, words)];
}
