import { REASON } from "../../../protocol/tx/refusal-reasons.ts";
import { invalid, VALID, type Verdict } from "../../../protocol/tx/verdict.ts";
import type { CheckedTx } from "../../digest/tx-facts.ts";

/** Hash, calldata and contract class logs must match the commitments in the kernel's output. */
export function checkData({ hashDiffers, digest }: Pick<CheckedTx, "hashDiffers" | "digest">): Verdict {
  if (hashDiffers) return invalid(REASON.hash);
  return digest.dataFault === undefined ? VALID : invalid(digest.dataFault);
}
