/**
 * Why a slot has no checkpoint of this node. Each reason is also the name of a counter. "started too late": the time
 * for a step was over before any block was built; "deadline missed": it was over afterwards.
 */
export const SKIP_REASONS = [
  "paused",
  "not synced",
  "unsettled blocks",
  "slot taken",
  "escape hatch",
  "no committee",
  "not proposer",
  "no keys",
  "no attesters",
  "too few peers",
  "invalidation refused",
  "refused by L1",
  "started too late",
  "deadline missed",
  "no txs",
  "too few valid txs",
  "too few blocks",
  "build failed",
  "block refused",
  "proposal not sent",
  "assembly failed",
  "attestations missing",
  "publishing failed",
  "L1 unavailable",
  "interrupted",
  "failed",
] as const;

export type SkipReason = (typeof SKIP_REASONS)[number];

/** Thrown to end the work for a slot. */
export class SlotSkipped extends Error {
  readonly reason: SkipReason;
  readonly facts: object;

  constructor(reason: SkipReason, facts: object = {}, options?: ErrorOptions) {
    super(reason, options);
    this.name = "SlotSkipped";
    this.reason = reason;
    this.facts = facts;
  }
}
