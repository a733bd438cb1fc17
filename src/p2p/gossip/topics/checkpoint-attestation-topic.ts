import { equal, toHex } from "../../../protocol/bytes.ts";
import { checkpointSlot } from "../../../protocol/checkpoint-header.ts";
import {
  type CheckpointAttestation,
  decodeCheckpointAttestation,
} from "../../../protocol/consensus/checkpoint-attestation.ts";
import { digestSigner } from "../../../protocol/consensus/wire-signature.ts";
import type { GossipOutcome, TopicValidator } from "../topic.ts";
import { AttestedPayloads } from "./attested-payloads.ts";
import type { ConsensusContext } from "./consensus-context.ts";
import { committeeOfSlot, ignored, rejected } from "./proposal-rules.ts";
import { outsideSlotWindow } from "./slot-window.ts";

/** Rules for messages of topic checkpoint_attestation (docs/protocol/10-peers.md#1011-receive-rules). */
export function checkpointAttestationValidator(context: ConsensusContext): TopicValidator {
  const { rollup, recover } = context;
  const payloads = new AttestedPayloads(recover, rollup);
  return async (payload) => {
    const attestation = decodeCheckpointAttestation(payload, rollup);
    const slot = checkpointSlot(attestation.header);
    const outside = outsideSlotWindow(slot, context.now(), context.times);
    if (outside !== undefined) return outside;
    const digest = payloads.digest(attestation);
    const attester = digestSigner(digest, attestation.signature, recover, rollup.generation.consensus);
    if (attester === undefined) return rejected("low", "the attestation has no valid signature");
    const { kind, proposer, isMember } = await committeeOfSlot(context, slot);
    if (kind === "none") return rejected("low", `slot ${slot} has no committee`);
    if (!isMember(attester)) return rejected("high", `${toHex(attester)} is not in the committee of slot ${slot}`);
    if (proposer === undefined) return rejected("high", `slot ${slot} has no proposer`);
    const signer = payloads.proposer(attestation);
    if (signer === undefined) return rejected("low", "the proposer's signature is not valid");
    if (!equal(signer, proposer)) return rejected("high", `${toHex(signer)} is not the proposer of slot ${slot}`);
    if (context.observer && contradicts(context, attestation)) {
      return rejected("low", "the attestation differs from the checkpoint proposal with its archive root");
    }
    return admitAttestation(context, attestation, attester);
  };
}

function contradicts({ pool }: Pick<ConsensusContext, "pool">, attestation: CheckpointAttestation): boolean {
  const proposal = pool.checkpointProposal(attestation.archive);
  return (
    proposal !== undefined &&
    !(
      equal(proposal.header, attestation.header) &&
      equal(proposal.feeAssetPriceModifier, attestation.feeAssetPriceModifier)
    )
  );
}

function admitAttestation(
  { pool, equivocations }: Pick<ConsensusContext, "pool" | "equivocations">,
  attestation: CheckpointAttestation,
  attester: Uint8Array,
): GossipOutcome {
  const { result, count } = pool.addAttestation(attestation, attester);
  if (result === "exists") return ignored("the attestation is known");
  if (result !== "added") return ignored(`too many attestations of ${toHex(attester)} for the slot`);
  if (count === 2) equivocations.attestations.emit({ slot: checkpointSlot(attestation.header), attester });
  return { result: "accept" };
}
