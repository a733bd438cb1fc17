import type { GoldenCase } from "./recorded-node.ts";

/** A recorded answer that a replay of the chain cannot repeat. */
interface Limit {
  reason: string;
  /** Whether it concerns a case; all of the method's when absent. */
  concerns?(one: GoldenCase): boolean;
}

/**
 * Recorded cases that are not compared, by method. Checks that judge only the form of an answer ask them all the same.
 */
export const NOT_COMPARED: Readonly<Record<string, Limit>> = {
  getTxByHash: {
    reason:
      "the recording's node still had txs of the last blocks in its pool; a node that follows a recorded L1 never had them",
    concerns: ({ result }) => result !== undefined,
  },
};

export function isComparable(one: GoldenCase): boolean {
  const limit = NOT_COMPARED[one.method];
  return limit === undefined || (limit.concerns !== undefined && !limit.concerns(one));
}

type Json = Record<string, unknown>;

/** What cannot be equal inside the answers of a method: the reason, and how to take it away on either side. */
export const PARTLY_COMPARED: Readonly<Record<string, { reason: string; reduce(result: Json): void }>> = {
  getL2Tips: {
    reason:
      "the recording's node knew which checkpoint was proven at the finalized L1 block; a replayed L1 has no state of old blocks",
    reduce: (tips) => delete tips.finalized,
  },
  getWorldStateSyncStatus: {
    reason: "as for getL2Tips",
    reduce: (status) => delete status.finalizedBlockNumber,
  },
  getTxReceipt: {
    reason: "as for getL2Tips: a finalized tx is only proven",
    reduce: (receipt) => {
      if (receipt.status === "finalized") receipt.status = "proven";
    },
  },
  getNodeInfo: {
    reason: "the recording's network knew two contracts that neither L1 nor the release's configuration names",
    reduce: (info) => withoutUntold(info.l1ContractAddresses as Json),
  },
  getL1ContractAddresses: { reason: "as for getNodeInfo", reduce: (addresses) => withoutUntold(addresses) },
};

function withoutUntold(addresses: Json): void {
  delete addresses.stakingAssetHandlerAddress;
  delete addresses.zkPassportVerifierAddress;
}

/**
 * A recorded or given answer without what cannot be equal. Member order is kept. Beside PARTLY_COMPARED, `_cachedHash`
 * goes: an internal member of block headers that the recording's node leaked.
 */
export function comparable(method: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value ?? null), (key, item) => (key === "_cachedHash" ? undefined : item));
  const result = copy?.result;
  if (typeof result === "object" && result !== null) PARTLY_COMPARED[method]?.reduce(result);
  return copy;
}
