import type { CheckpointTerms } from "../../checkpoints/checkpoint-terms.ts";
import type { StateOverride } from "../../l1/state-override.ts";
import type { ProposalReader, RollupIdentity } from "../../l1/types.ts";
import { slotTimestamp } from "../../protocol/time.ts";

interface TermsRequest {
  slot: number;
  checkpointNumber: number;
  /** Last block of the preceding checkpoint. */
  parentBlock: number;
  /** 20 bytes. */
  coinbase: Uint8Array;
  /** 32 bytes. */
  feeRecipient: Uint8Array;
  limits: CheckpointTerms["limits"];
  /** The rollup's pending chain in front of the checkpoint; undefined: as it is. */
  pending: StateOverride | undefined;
}

/**
 * Returns the values that all blocks of a checkpoint share
 * (docs/protocol/08-building-and-checkpoints.md#87-terms-of-a-checkpoint). Fees are those that L1 requires at the start
 * of the slot, whenever the checkpoint is published. Rejects with an L1Error.
 */
export async function checkpointTerms(
  { slot, pending, ...request }: TermsRequest,
  identity: RollupIdentity,
  proposals: Pick<ProposalReader, "minFeesAt">,
): Promise<CheckpointTerms> {
  const timestamp = slotTimestamp(slot, identity.constants);
  return {
    ...request,
    slot,
    timestamp,
    chainId: identity.l1ChainId,
    version: identity.rollupVersion,
    gasFees: await proposals.minFeesAt(timestamp, pending),
  };
}
