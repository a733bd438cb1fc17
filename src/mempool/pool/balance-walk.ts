import { compareRank, type PoolEntry, type Ranked } from "./pool-entry.ts";

export type Payment = Ranked & Pick<PoolEntry, "claim" | "feeLimit">;

/**
 * The payments of one payer that its balance does not cover, with what was left at their turn: those of highest rank are covered first
 * (sheet 06 section 2.4, rule 2).
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
