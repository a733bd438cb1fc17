import type { CompletedCheckpoint, ProposedBlock } from "../checkpoints/checkpoint-terms.ts";
import { NO_ATTESTATIONS, type PackedAttestations } from "../l1/propose/attestations.ts";

/** Addresses of the validators that must attest to a slot's checkpoint. Empty on a network without committees. */
export type Committee = readonly Uint8Array[];

/** A block of a checkpoint that will have further ones. */
export interface BlockOffer {
  slot: number;
  /** This node's attester that proposes in the slot; lower-case 0x text. */
  proposer: string;
  block: ProposedBlock;
  /** 32 bytes: commitment to the checkpoint's messages from L1. */
  inHash: Uint8Array;
  /** Ends a wait for the signature. */
  signal: AbortSignal;
}

interface AttestationRequest {
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
 * Offers blocks and checkpoints to a committee and collects the attestations that L1 requires
 * (docs/protocol/08-building-and-checkpoints.md#815-attestations).
 */
export interface AttestationCollector {
  /** Why a committee's attestations cannot be collected; undefined if they can. Called before anything is built. */
  obstacle(committee: Committee): string | undefined;
  /** Sends a block to the committee, so that members execute it while the next one is built. Rejects if it cannot. */
  offerBlock(offer: BlockOffer): Promise<void>;
  /** Rejects when too few attestations arrive in time. */
  collect(request: AttestationRequest): Promise<PackedAttestations>;
}

/** For networks without committees, where no attestations are needed. */
export class NoCommitteeAttestations implements AttestationCollector {
  obstacle(committee: Committee): string | undefined {
    if (committee.length === 0) return undefined;
    return `a committee of ${committee.length} must attest, and this node has no peers or no validator to ask it`;
  }

  async offerBlock(): Promise<void> {
    // Nobody executes it before it is on L1.
  }

  async collect(): Promise<PackedAttestations> {
    return NO_ATTESTATIONS;
  }
}
