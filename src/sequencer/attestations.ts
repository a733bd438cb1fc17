import type { CompletedCheckpoint } from "../checkpoints/checkpoint-terms.ts";
import { NO_ATTESTATIONS, type PackedAttestations } from "../l1/propose/attestations.ts";

/** Addresses of the validators that must attest to a slot's checkpoint. Empty on a network without committees. */
export type Committee = readonly Uint8Array[];

export interface AttestationRequest {
  slot: number;
  committee: Committee;
  checkpoint: CompletedCheckpoint;
  /** Basis points. */
  feeAssetPriceModifier: bigint;
  /** This node's attester that proposes in the slot; lower-case 0x text. */
  proposer: string;
  /** Unix milliseconds; undefined: no deadline. */
  deadline: number | undefined;
  signal: AbortSignal;
}

/**
 * Collects the attestations that L1 requires for a checkpoint
 * (docs/protocol/08-building-and-checkpoints.md#815-attestations).
 */
export interface AttestationCollector {
  /** Why a committee's attestations cannot be collected; undefined if they can. Called before anything is built. */
  obstacle(committee: Committee): string | undefined;
  /** Rejects when too few attestations arrive in time. */
  collect(request: AttestationRequest): Promise<PackedAttestations>;
}

/** For networks without committees, where no attestations are needed. */
export class NoCommitteeAttestations implements AttestationCollector {
  obstacle(committee: Committee): string | undefined {
    if (committee.length === 0) return undefined;
    return `a committee of ${committee.length} must attest, and this node has no peers to ask`;
  }

  async collect(): Promise<PackedAttestations> {
    return NO_ATTESTATIONS;
  }
}
