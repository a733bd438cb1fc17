/** Why a tx left the pool otherwise than by being final: words of answers and of metrics, in the order of these. */
export const DROP_REASONS = [
  "outbid",
  "pool full",
  "fee payer cannot pay",
  "nullifier spent",
  "expired",
  "may not be pending",
  "anchor block gone",
  "reorg",
  "execution failed",
  "fee too low",
] as const;
export type DropReason = (typeof DROP_REASONS)[number];
