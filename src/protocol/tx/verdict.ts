/** What one check, or a group of them, says of a tx. `skipped`: not now, but maybe in a later block. */
export type Verdict = { result: "valid" } | { result: "invalid" | "skipped"; reason: string[] };

export const VALID: Verdict = { result: "valid" };

export function invalid(...reason: string[]): Verdict {
  return { result: "invalid", reason };
}

/** Verdict of a group: the reasons of all that object, in order; one invalid makes the group invalid (sheet 06 section 1.1). */
export function joined(verdicts: readonly Verdict[]): Verdict {
  const reason = verdicts.flatMap((verdict) => (verdict.result === "valid" ? [] : verdict.reason));
  if (verdicts.some(({ result }) => result === "invalid")) return { result: "invalid", reason };
  return verdicts.some(({ result }) => result === "skipped") ? { result: "skipped", reason } : VALID;
}
