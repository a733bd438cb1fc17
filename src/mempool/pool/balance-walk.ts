import { compareRank, type PoolEntry, type Ranked } from "./pool-entry.ts";

type Payment = Ranked & Pick<PoolEntry, "claim" | "feeLimit">;

/**
 * Payments of one payer that its balance does not cover, each with the balance left at its turn. Payments of higher
 * rank are covered first (docs/protocol/07-transactions-and-fees.md#722-rules-before-adding, rule 2). Sorts: callers
 * look first whether the balance covers all.
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
