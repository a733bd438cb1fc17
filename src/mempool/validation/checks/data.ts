import { equal } from "../../../protocol/bytes.ts";
import type { TxFacts } from "../../tx-facts.ts";
import { REASON } from "../reasons.ts";
import { invalid, VALID, type Verdict } from "../verdict.ts";

/** Hash, calldata and contract class logs are those that the kernel's output commits to. */
export function checkData({ hash, claimedHash, digest }: Pick<TxFacts, "hash" | "claimedHash" | "digest">): Verdict {
  if (claimedHash !== undefined && !equal(claimedHash, hash)) return invalid(REASON.hash);
  return digest.dataFault === undefined ? VALID : invalid(digest.dataFault);
}
