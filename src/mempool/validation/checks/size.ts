import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { txBytes } from "../../../protocol/tx/tx.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxFacts } from "../../digest/tx-facts.ts";

/** Most bytes of a tx's binary form. */
export const MAX_TX_BYTES = 512 * 1024;

export function checkSize({ tx }: Pick<TxFacts, "tx">): Verdict {
  return txBytes(tx) <= MAX_TX_BYTES ? VALID : invalid(REASON.tooLarge);
}
