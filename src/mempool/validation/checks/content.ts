import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { CheckedTx, TxFacts } from "../../digest/tx-facts.ts";

/** Hash, calldata and contract class logs must match the commitments in the kernel's output. */
export function checkData({ hashDiffers, digest }: Pick<CheckedTx, "hashDiffers" | "digest">): Verdict {
  if (hashDiffers) return invalid(REASON.hash);
  return digest.dataFault === undefined ? VALID : invalid(digest.dataFault);
}

/** Each published instance must have the address derived from its parts. */
export function checkContractInstance({ digest }: Pick<TxFacts, "digest">): Verdict {
  return digest.instanceFault === undefined ? VALID : invalid(digest.instanceFault);
}
