import type { GoldenCase } from "./recorded-node.ts";

/** A recorded answer that a replay of the chain cannot repeat. */
interface Limit {
  reason: string;
  /** Whether it applies to a case. If absent, it applies to all cases of the method. */
  concerns?(one: GoldenCase): boolean;
}

/** Recorded cases that are not compared, by method. Checks of an answer's form include them. */
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

/** Parts of a method's answers that cannot be equal: the reason, and how to remove them from either side. */
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
    reduce: (info) => removeUnknownAddresses(info.l1ContractAddresses as Json),
  },
  getL1ContractAddresses: { reason: "as for getNodeInfo", reduce: (addresses) => removeUnknownAddresses(addresses) },
};

function removeUnknownAddresses(addresses: Json): void {
  delete addresses.stakingAssetHandlerAddress;
  delete addresses.zkPassportVerifierAddress;
}

/**
 * An answer without the parts that cannot be equal. Keeps the order of members. Applies PARTLY_COMPARED and removes
 * `_cachedHash`, an internal member of block headers that the recorded node leaked.
 */
export function comparable(method: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value ?? null), (key, item) => (key === "_cachedHash" ? undefined : item));
  const result = copy?.result;
  if (typeof result === "object" && result !== null) PARTLY_COMPARED[method]?.reduce(result);
  return copy;
}
