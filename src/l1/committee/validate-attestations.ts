import { equal, isZero } from "../../protocol/bytes.ts";
import { checkpointSlot } from "../../protocol/checkpoint-header.ts";
import { isEmptySignature, type RecoverSigner } from "../../protocol/consensus/recover.ts";
import { signerRecovery } from "../../protocol/consensus/signer-recovery.ts";
import { digestSigner, wireSignature } from "../../protocol/consensus/wire-signature.ts";
import type { ConsensusRules } from "../../protocol/generations/consensus.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import { epochOfSlot } from "../../protocol/time.ts";
import type { CommitteeAttestation, EpochCommittee, ProposedCheckpoint, RollupReader } from "../types.ts";
import { quorum } from "./sampling.ts";

/** Result for one posted entry. `address` is the recovered signer's or the posted one. */
type AttestationStatus =
  | { status: "recovered-from-signature"; address: Uint8Array }
  | { status: "provided-as-address"; address: Uint8Array }
  | { status: "invalid-signature" }
  | { status: "empty" };

type AttestationValidation =
  /** `unchecked`: why the checkpoint needs no attestations. */
  | { valid: true; unchecked?: "no-committee" | "escape-hatch" }
  | {
      valid: false;
      reason: "invalid-attestation";
      /** First entry that is not the committee member of its position. */
      invalidIndex: number;
      /** All addresses that the entries give, in order. */
      attestors: Uint8Array[];
      epoch: number;
      seed: bigint;
      committee: Uint8Array[];
    }
  | {
      valid: false;
      reason: "insufficient-attestations";
      required: number;
      actual: number;
      attestors: Uint8Array[];
      epoch: number;
      seed: bigint;
      committee: Uint8Array[];
    };

/** How entries were signed, in a generation's manner. */
interface AttestationRules {
  readonly consensus: Pick<ConsensusRules, "signedEventDigest" | "peersTakeParity">;
  /** signerRecovery. */
  readonly recover: RecoverSigner;
}

export function attestationStatuses(
  attestations: readonly CommitteeAttestation[],
  payloadDigest: Uint8Array,
  { consensus, recover }: AttestationRules,
): AttestationStatus[] {
  const signed = consensus.signedEventDigest(payloadDigest);
  return attestations.map(({ address, signature }): AttestationStatus => {
    if (signature === undefined || isEmptySignature(signature)) {
      return isZero(address) ? { status: "empty" } : { status: "provided-as-address", address };
    }
    const signer = digestSigner(signed, wireSignature(signature), recover, consensus);
    return signer ? { status: "recovered-from-signature", address: signer } : { status: "invalid-signature" };
  });
}

/**
 * Checks the posted attestations of a checkpoint against its epoch's committee
 * (docs/protocol/04-l1-contracts.md#426-checking-attestations). Entries must match the members in committee order and
 * contain valid signatures from a quorum. The proposer's signature is checked by L1.
 */
export function validateAttestations(
  checkpoint: Pick<ProposedCheckpoint, "attestations" | "payloadDigest">,
  { epoch, committee, seed, escapeHatchOpen }: EpochCommittee,
  rules: AttestationRules,
): AttestationValidation {
  if (!committee || committee.length === 0) return { valid: true, unchecked: "no-committee" };
  if (escapeHatchOpen) return { valid: true, unchecked: "escape-hatch" };
  const statuses = attestationStatuses(checkpoint.attestations, checkpoint.payloadDigest, rules);
  const attestors = statuses.flatMap((entry) => ("address" in entry ? [entry.address] : []));
  const context = { attestors, epoch, seed, committee };
  const invalidIndex = statuses.findIndex(
    (entry, i) => !("address" in entry) || i >= committee.length || !equal(entry.address, committee[i]),
  );
  if (invalidIndex >= 0) return { valid: false, reason: "invalid-attestation", invalidIndex, ...context };
  const required = quorum(committee.length);
  const actual = statuses.filter(({ status }) => status === "recovered-from-signature").length;
  if (actual < required) return { valid: false, reason: "insufficient-attestations", required, actual, ...context };
  return { valid: true };
}

/** Checks a proposal's attestations against its epoch's committee on L1. */
export function attestationValidator(
  reader: RollupReader,
  { consensus }: Pick<Generation, "consensus">,
): (checkpoint: ProposedCheckpoint) => Promise<AttestationValidation> {
  return async (checkpoint) => {
    const epoch = epochOfSlot(checkpointSlot(checkpoint.header), reader.identity.constants);
    const committee = await reader.committee(epoch);
    return validateAttestations(checkpoint, committee, { consensus, recover: await signerRecovery() });
  };
}
