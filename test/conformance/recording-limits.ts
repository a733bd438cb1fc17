/**
 * Recorded methods whose answers a replay cannot repeat, with the reason. They are asked all the same, by the checks that judge
 * the form of an answer.
 */
export const NOT_COMPARED: Readonly<Record<string, string>> = {
  getCurrentMinFees: "the fee is read from L1 at its present time, which in a replay is not that of the recording",
};

/** What differs in an answer of these methods, and why; `comparable` takes it away on both sides. */
export const PARTLY_COMPARED: Readonly<Record<string, string>> = {
  getL2Tips:
    "`finalized`: the recording's node read the proven checkpoint at the finalized L1 block; a replayed L1 has no state of older blocks",
  getWorldStateSyncStatus: "`finalizedBlockNumber`: as for getL2Tips",
};

/**
 * A recorded or given answer without what cannot be equal. Member order is kept. Beside PARTLY_COMPARED, `_cachedHash` goes: an
 * internal member of block headers that the recording's node leaked.
 */
export function comparable(method: string, value: unknown): unknown {
  const copy = JSON.parse(JSON.stringify(value ?? null), (key, item) => (key === "_cachedHash" ? undefined : item));
  const result = copy?.result;
  if (typeof result === "object" && result !== null) {
    if (method === "getL2Tips") delete result.finalized;
    if (method === "getWorldStateSyncStatus") delete result.finalizedBlockNumber;
  }
  return copy;
}
