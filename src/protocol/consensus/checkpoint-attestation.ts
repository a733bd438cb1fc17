import type { CheckpointProposal } from "./checkpoint-proposal.ts";

/** A committee member's signature over a checkpoint proposal. */
export interface CheckpointAttestation extends CheckpointProposal {
  /** The attester's: 65 bytes r, s, v. */
  signature: Uint8Array;
  /** 65 bytes r, s, v. */
  proposerSignature: Uint8Array;
}
