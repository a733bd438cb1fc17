import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxSummary } from "../../digest/tx-facts.ts";
import type { CheckContext } from "./context.ts";

/** The anchor block of the tx must be on the chain. */
export function checkAnchorBlock(
  { anchorHash }: Pick<TxSummary, "anchorHash">,
  { state }: { state: Pick<CheckContext["state"], "hasBlock"> },
): Verdict {
  return state.hasBlock(anchorHash) ? VALID : invalid(REASON.anchorBlock);
}
