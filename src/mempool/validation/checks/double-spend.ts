import { mapKey } from "../../../protocol/bytes.ts";
import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/** No nullifier may occur twice or exist in the state. */
export function checkDoubleSpend(
  { nullifiers }: Pick<TxSummary, "nullifiers">,
  { state }: { state: Pick<CheckContext["state"], "hasNullifier"> },
): Verdict {
  if (new Set(nullifiers.map(mapKey)).size < nullifiers.length) return invalid(REASON.duplicateNullifier);
  return nullifiers.some((nullifier) => state.hasNullifier(nullifier)) ? invalid(REASON.existingNullifier) : VALID;
}
