import { compareRank, type PoolEntry, type Ranked } from "./pool-entry.ts";

export type Payment = Ranked & Pick<PoolEntry, "claim" | "feeLimit">;

/**
 * Payments of one payer that its balance does not cover, each with the balance left at its turn. Payments of higher
 * rank are covered first (sheet 06 section 2.4, rule 2).
 */
export function uncovered<T extends Payment>(
  balance: bigint,
  payments: readonly T[],
): { payment: T; available: bigint }[] {
  const missing: { payment: T; available: bigint }[] = [];
  let left = balance;
  for (const payment of payments.toSorted((a, b) => compareRank(b, a))) {
    const available = left + payment.claim;
    if (available >= payment.feeLimit) left = available - payment.feeLimit;
    else missing.push({ payment, available });
  }
  return missing;
}
