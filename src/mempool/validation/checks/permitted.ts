import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { CheckContext } from "./context.ts";

/** The node's configuration may refuse all txs. */
export function checkPermitted(_facts: unknown, { permitted }: Pick<CheckContext, "permitted">): Verdict {
  return permitted ? VALID : invalid(REASON.notPermitted);
}
