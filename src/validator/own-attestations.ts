import type { SlotCommittees } from "../l1/committee/slot-committees.ts";
import type { AttestationPool } from "../mempool/attestations/attestation-pool.ts";
import type { GossipPublisher } from "../p2p/gossip/publisher.ts";
import { fromHex, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import {
  attestationPayloadHash,
  type CheckpointAttestation,
  encodeCheckpointAttestation,
} from "../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointProposal } from "../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../protocol/consensus/message-rollup.ts";
import { wireSignature } from "../protocol/consensus/wire-signature.ts";
import type { DutyTimes } from "../telemetry/duty-times.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { DutySigner } from "./duty-signer.ts";
import { SigningRefusedError } from "./signing/signing-refused-error.ts";

export interface OwnAttestationsParts {
  committees: Pick<SlotCommittees, "at">;
  /** Attesters of this node that may sign now; lower-case 0x text. */
  attesters(): readonly string[];
  signer: Pick<DutySigner, "sign">;
  pool: Pick<AttestationPool, "addOwnAttestation">;
  publisher: GossipPublisher;
  rollup: MessageRollup;
  dutyTimes: Pick<DutyTimes, "done" | "missed">;
  /** Called with each attestation that was sent. */
  attested?(attester: string, slot: number): void;
  logger: Logger;
}

const ATTEST = { duty: "attest" } as const;

/**
 * Attests with all keys of this node that are in the committee of a slot
 * (docs/protocol/11-consensus.md#112-attestations).
 */
export class OwnAttestations {
  readonly #parts: OwnAttestationsParts;
  /** Nothing more is attested in this slot and those before it. */
  #lastSlot = -1;

  constructor(parts: OwnAttestationsParts) {
    this.#parts = parts;
  }

  /** This node's members of a slot's committee. Rejects with an L1Error. */
  async members(slot: number): Promise<string[]> {
    const { committees, attesters } = this.#parts;
    const { isMember } = await committees.at(slot);
    return attesters().filter((address) => isMember(fromHex(address)));
  }

  /**
   * Signs, stores and sends the attestations of `members` to a proposal that this node checked or made. Returns how
   * many there are: none if this node attested in the slot before. A member whose signer fails is left out. Never
   * rejects.
   */
  async attest(proposal: CheckpointProposal, members: readonly string[], signal?: AbortSignal): Promise<number> {
    const slot = checkpointSlot(proposal.header);
    if (members.length === 0 || slot <= this.#lastSlot) return 0;
    this.#lastSlot = slot;
    const digest = attestationPayloadHash(proposal, this.#parts.rollup);
    const sent = await Promise.all(members.map((attester) => this.#one(proposal, { slot, attester, digest }, signal)));
    return sent.filter(Boolean).length;
  }

  /** Returns whether the attestation was sent. */
  async #one(
    proposal: CheckpointProposal,
    { slot, attester, digest }: { slot: number; attester: string; digest: Uint8Array },
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const { signer, dutyTimes, attested, logger } = this.#parts;
    try {
      const signature = await signer.sign(attester, { kind: "ATTESTATION", slot }, digest, signal);
      dutyTimes.done(slot, "signed", ATTEST);
      this.#send(proposal, attester, signature);
      dutyTimes.done(slot, "sent", ATTEST);
      attested?.(attester, slot);
      return true;
    } catch (error) {
      // Usual in a high-availability group, where every node tries to sign.
      const isElsewhere = error instanceof SigningRefusedError && error.reason === "signed elsewhere";
      if (!isElsewhere) dutyTimes.missed(slot, "attest", `${attester}: ${(error as Error).message}`);
      if (error instanceof SigningRefusedError) {
        logger[isElsewhere ? "debug" : "warn"]({ slot, attester }, error.message);
      } else logger.error({ slot, attester, err: error }, "the attestation of {attester} in slot {slot} failed");
      return false;
    }
  }

  #send(
    { header, archive, feeAssetPriceModifier, signature: proposerSignature }: CheckpointProposal,
    attester: string,
    signature: Uint8Array,
  ): void {
    const { pool, publisher, rollup, logger } = this.#parts;
    const attestation: CheckpointAttestation = {
      header,
      archive,
      feeAssetPriceModifier,
      signature: wireSignature(signature),
      proposerSignature,
    };
    pool.addOwnAttestation(attestation, fromHex(attester));
    publisher.publish("checkpoint_attestation", encodeCheckpointAttestation(attestation, rollup));
    const facts = { slot: checkpointSlot(header), attester, archive: toHex(archive) };
    logger.debug(facts, "{attester} attested in slot {slot}");
  }
}
