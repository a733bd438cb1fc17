/** Release line of the installed library, whose words for reverted transactions the node is asked to use. */
export const RELEASE = process.env.SVC_CONFORMANCE_RELEASE ?? "4.1";

/** A recorded result of 4.1.2 as the release has it: later ones have one word for all reverted transactions. */
export function asRelease(method: string, result: unknown): unknown {
  if (RELEASE === "4.1" || method !== "getTxReceipt" || typeof result !== "object" || result === null) return result;
  const { executionResult, ...rest } = result as { executionResult?: string };
  if (!executionResult?.endsWith("_reverted")) return result;
  return { ...rest, executionResult: "reverted" };
}
