import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxFacts } from "../../tx-facts.ts";

/** Every instance that the tx publishes has the address that its parts derive. */
export function checkContractInstance({ digest }: Pick<TxFacts, "digest">): Verdict {
  return digest.instanceFault === undefined ? VALID : invalid(digest.instanceFault);
}
