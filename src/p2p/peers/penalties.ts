import type { Tolerance } from "../../mempool/validation/gossip-checks.ts";

/** Lowers the application score of peers that break rules. */
export interface PeerPenalties {
  /** `peer` is a peer id as text (16Uiu2...); "low" tolerance costs most. `reason` goes to the log. */
  penalize(peer: string, tolerance: Tolerance, reason: string): void;
}
