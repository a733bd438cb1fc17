import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { TxFacts } from "../../digest/tx-facts.ts";

/** Each published instance must have the address derived from its parts. */
export function checkContractInstance({ digest }: Pick<TxFacts, "digest">): Verdict {
  return digest.instanceFault === undefined ? VALID : invalid(digest.instanceFault);
}
