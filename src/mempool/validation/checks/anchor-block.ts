import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../tx-facts.ts";
import type { CheckContext } from "../context.ts";
import { REASON } from "../reasons.ts";

/** The anchor block of the tx must be on the chain. */
export function checkAnchorBlock(
  { anchorHash }: Pick<TxSummary, "anchorHash">,
  { state }: { state: Pick<CheckContext["state"], "hasBlock"> },
): Verdict {
  return state.hasBlock(anchorHash) ? VALID : invalid(REASON.anchorBlock);
}
