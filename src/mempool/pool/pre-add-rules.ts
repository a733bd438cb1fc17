import type { Fr } from "../../protocol/field.ts";
import { uncovered } from "./balance-walk.ts";
import type { PendingTxs } from "./pending-txs.ts";
import { compareRank, type PoolEntry } from "./pool-entry.ts";
import { insufficientBalance, lowPriorityFee, nullifierConflict, type PoolRejection } from "./rejection.ts";

/** How a tx must beat the ones it replaces: with a fee that is higher by a percentage, or by rank alone. */
export type Bidding = { by: "fee"; bumpPercentage: bigint } | { by: "rank" };
export const BY_RANK: Bidding = { by: "rank" };

/**
 * Least fee that outbids another; always higher than it, whatever the percentage
 * (docs/protocol/07-transactions-and-fees.md#722-rules-before-adding).
 */
export function bumpedFee(fee: bigint, percentage: bigint): bigint {
  const bump = (fee * percentage) / 100n;
  return fee + (bump > 1n ? bump : 1n);
}

interface PreAddContext {
  pending: PendingTxs;
  bidding: Bidding;
  /** Balance in fee asset units, in the committed state. */
  feeJuice(payer: Fr): bigint;
  /** 0 for no limit. */
  maxPending: number;
}

/** The entries to evict so that a tx can be added, or why it cannot. */
export type PreAdd = { evict: PoolEntry[] } | { rejection: PoolRejection };

/**
 * The rules for a tx that would become pending, in order: the first rejection decides
 * (docs/protocol/07-transactions-and-fees.md#722-rules-before-adding).
 */
export function preAdd(incoming: PoolEntry, context: PreAddContext): PreAdd {
  const evict = new Set<PoolEntry>();
  for (const rule of [conflictRule, balanceRule, capacityRule]) {
    const outcome = rule(incoming, context);
    if ("rejection" in outcome) return outcome;
    for (const entry of outcome.evict) evict.add(entry);
  }
  return { evict: [...evict] };
}

function beats(incoming: PoolEntry, existing: PoolEntry, bidding: Bidding): boolean {
  return bidding.by === "fee"
    ? incoming.priorityFee >= bumpedFee(existing.priorityFee, bidding.bumpPercentage)
    : compareRank(incoming, existing) > 0;
}

/** A tx must beat every pending tx that shares a nullifier with it. */
export function conflictRule(
  incoming: PoolEntry,
  { pending, bidding }: Pick<PreAddContext, "pending" | "bidding">,
): PreAdd {
  const conflicts = pending.conflictsOf(incoming);
  const unbeaten = conflicts.find((existing) => !beats(incoming, existing, bidding));
  if (unbeaten === undefined) return { evict: conflicts };
  const fees =
    bidding.by === "fee"
      ? { minimum: bumpedFee(unbeaten.priorityFee, bidding.bumpPercentage), got: incoming.priorityFee }
      : undefined;
  return { rejection: nullifierConflict(unbeaten.hash, fees) };
}

/** The payer must be able to pay for all its pending txs; those of lowest rank are evicted first. */
export function balanceRule(
  incoming: PoolEntry,
  { pending, feeJuice }: Pick<PreAddContext, "pending" | "feeJuice">,
): PreAdd {
  const balance = feeJuice(incoming.feePayer);
  const others = pending.payer(incoming.payerKey);
  if ((others?.feeLimits ?? 0n) + incoming.feeLimit <= balance) return { evict: [] };
  const missing = uncovered(balance, [...(others?.entries.values() ?? []), incoming]);
  const own = missing.find(({ payment }) => payment === incoming);
  if (own === undefined) return { evict: missing.map(({ payment }) => payment) };
  const { feePayer: payer, feeLimit } = incoming;
  return { rejection: insufficientBalance({ payer, balance, available: own.available, feeLimit }) };
}

/** A full pool accepts a tx only if it beats the lowest-ranked one. */
export function capacityRule(
  incoming: PoolEntry,
  { pending, bidding, maxPending }: Pick<PreAddContext, "pending" | "bidding" | "maxPending">,
): PreAdd {
  const lowest = pending.order.lowest();
  if (maxPending === 0 || pending.size < maxPending || lowest === undefined) return { evict: [] };
  if (beats(incoming, lowest, bidding)) return { evict: [lowest] };
  const minimum =
    bidding.by === "fee" ? bumpedFee(lowest.priorityFee, bidding.bumpPercentage) : lowest.priorityFee + 1n;
  return { rejection: lowPriorityFee(minimum, incoming.priorityFee) };
}
