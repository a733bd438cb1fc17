import type { ProposedCheckpoint } from "../l1/types.ts";
import { CHECKPOINT_AT, checkpointSlot, checkpointTimestamp } from "../protocol/checkpoint-header.ts";
import type { InvalidProposal } from "./tables/invalid-proposal.ts";

/**
 * Outcome of checking a proposal's attestations against the committee of its epoch
 * (docs/protocol/04-l1-contracts.md#426-checking-attestations).
 */
export type AttestationVerdict =
  | { valid: true }
  | {
      valid: false;
      reason: "invalid-attestation" | "insufficient-attestations";
      /** Committee position of the first invalid entry; only for the first reason. */
      invalidIndex?: number;
      epoch: number;
      seed: bigint;
      /** 20-byte addresses. */
      committee: Uint8Array[];
      /** Addresses of all entries, recovered from signatures or posted. */
      attestors: Uint8Array[];
    };

/** Checks a proposal's attestations. Throws only when L1 does not answer; the proposal is then retried later. */
export type ValidateAttestations = (checkpoint: ProposedCheckpoint) => Promise<AttestationVerdict>;

export function invalidProposal(
  checkpoint: ProposedCheckpoint,
  verdict: Extract<AttestationVerdict, { valid: false }>,
): InvalidProposal {
  return {
    reason: verdict.reason,
    invalidIndex: verdict.invalidIndex,
    checkpointNumber: checkpoint.checkpointNumber,
    archiveRoot: checkpoint.archiveRoot,
    lastArchiveRoot: checkpoint.header.subarray(CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.lastArchiveRoot + 32),
    slotNumber: checkpointSlot(checkpoint.header),
    timestamp: checkpointTimestamp(checkpoint.header),
    epoch: verdict.epoch,
    seed: verdict.seed,
    committee: verdict.committee,
    attestors: verdict.attestors,
    attestations: checkpoint.attestations,
    unusedBits: checkpoint.unusedBits,
  };
}
