import { toHex } from "../../protocol/bytes.ts";
import type { DutyStatus } from "../../protocol/slashing/validator-statistics.ts";

/** What this node knows of a slot. Addresses have 20 bytes. */
interface SlotFacts {
  /** The committee. */
  members: readonly Uint8Array[];
  proposer: Uint8Array;
  /** Whether the chain has a checkpoint of the slot. */
  mined: boolean;
  /** Signers of attestations that were gossiped or published; may include the proposer. */
  attesters: Iterable<Uint8Array>;
  /** Whether a block proposal was received. */
  blockProposed: boolean;
}

export interface SlotDuty {
  validator: Uint8Array;
  status: DutyStatus;
}

/**
 * Status of each committee member (docs/protocol/12-slashing.md#121-sentinel). A member that did not attest has no
 * entry unless there was a checkpoint to attest to.
 */
export function slotDuties({ members, proposer, mined, attesters, blockProposed }: SlotFacts): SlotDuty[] {
  const proposerText = toHex(proposer);
  const attested = new Set(Array.from(attesters, toHex));
  attested.delete(proposerText);
  const checkpointSeen = mined || attested.size > 0;
  return members.flatMap((validator): SlotDuty[] => {
    const text = toHex(validator);
    if (text === proposerText) return [{ validator, status: proposerStatus(mined, checkpointSeen, blockProposed) }];
    if (attested.has(text)) return [{ validator, status: "attestation-sent" }];
    return checkpointSeen ? [{ validator, status: "attestation-missed" }] : [];
  });
}

function proposerStatus(mined: boolean, checkpointSeen: boolean, blockProposed: boolean): DutyStatus {
  if (mined) return "checkpoint-mined";
  if (checkpointSeen) return "checkpoint-proposed";
  return blockProposed ? "checkpoint-missed" : "blocks-missed";
}
