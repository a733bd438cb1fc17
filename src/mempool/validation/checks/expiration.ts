import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/**
 * The tx must not be expired in the target block; the first block accepts any
 * (docs/protocol/07-transactions-and-fees.md#713-rules-and-reasons).
 */
export function checkExpiration(
  { expiration }: Pick<TxSummary, "expiration">,
  { target }: Pick<CheckContext, "target">,
): Verdict {
  return target.blockNumber === 1 || expiration >= target.timestamp ? VALID : invalid(REASON.expired);
}
