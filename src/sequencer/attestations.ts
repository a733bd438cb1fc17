import type { CompletedCheckpoint } from "../checkpoints/checkpoint-terms.ts";
import { NO_ATTESTATIONS, type PackedAttestations } from "../l1/propose/attestations.ts";

/** Who has to attest to a slot's checkpoint. Empty: a network without committees. */
export type Committee = readonly Uint8Array[];

export interface AttestationRequest {
  slot: number;
  committee: Committee;
  checkpoint: CompletedCheckpoint;
  /** Basis points. */
  feeAssetPriceModifier: bigint;
  /** The attester of this node whose slot it is; lower-case 0x text. */
  proposer: string;
  /** Unix milliseconds; undefined: none. */
  deadline: number | undefined;
  signal: AbortSignal;
}

/** Gathers the signatures that L1 wants to see under a checkpoint (sheet 08 section 3.8). */
export interface AttestationCollector {
  /** Why the attestations of a committee cannot be gathered; undefined: they can. Asked before anything is built. */
  obstacle(committee: Committee): string | undefined;
  /** Rejects when too few come in time. */
  collect(request: AttestationRequest): Promise<PackedAttestations>;
}

/** For networks without committees, where nobody attests. */
export class NoCommitteeAttestations implements AttestationCollector {
  obstacle(committee: Committee): string | undefined {
    if (committee.length === 0) return undefined;
    return `a committee of ${committee.length} must attest, and this node has no peers to ask`;
  }

  async collect(): Promise<PackedAttestations> {
    return NO_ATTESTATIONS;
  }
}
