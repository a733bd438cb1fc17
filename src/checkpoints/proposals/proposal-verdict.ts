import type { ProposedBlock } from "../checkpoint-terms.ts";

/**
 * Why a block proposal is refused (docs/protocol/10-peers.md#1016-block-proposals). The names are those of the
 * reference's log lines and metrics.
 */
type ProposalFault =
  | "invalid_proposal"
  | "block_source_not_synced"
  | "parent_block_not_found"
  | "parent_block_wrong_slot"
  | "block_number_already_exists"
  | "global_variables_mismatch"
  | "in_hash_mismatch"
  | "txs_not_available"
  | "initial_state_mismatch"
  | "failed_txs"
  | "timeout"
  | "state_mismatch"
  | "unknown_error";

export interface RefusedProposal {
  valid: false;
  fault: ProposalFault;
  /** One sentence for the log. */
  reason: string;
}

/** `block` is set if the proposal was executed. */
export type ProposalVerdict = { valid: true; block: ProposedBlock | undefined } | RefusedProposal;

/** Faults that prove that the proposer signed a wrong block; the others may be this node's or the network's. */
export const PROPOSER_FAULTS: ReadonlySet<ProposalFault> = new Set(["state_mismatch", "failed_txs"]);

export function refused(fault: ProposalFault, reason: string): RefusedProposal {
  return { valid: false, fault, reason };
}
