/** Result of one check of a tx, or of a group of checks. `skipped`: not in this block, but possibly in a later one. */
export type Verdict = { result: "valid" } | { result: "invalid" | "skipped"; reason: string[] };

export const VALID: Verdict = { result: "valid" };

export function invalid(...reason: string[]): Verdict {
  return { result: "invalid", reason };
}

/**
 * Combines the verdicts of a group: all reasons in order. One invalid verdict makes the group invalid
 * (docs/protocol/07-transactions-and-fees.md#712-which-checks-run-where).
 */
export function joined(verdicts: readonly Verdict[]): Verdict {
  const reason = verdicts.flatMap((verdict) => (verdict.result === "valid" ? [] : verdict.reason));
  if (verdicts.some(({ result }) => result === "invalid")) return { result: "invalid", reason };
  return verdicts.some(({ result }) => result === "skipped") ? { result: "skipped", reason } : VALID;
}
