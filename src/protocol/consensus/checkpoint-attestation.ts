import { keccak_256 } from "@noble/hashes/sha3.js";
import { concat } from "../bytes.ts";
import { checkpointHash } from "../checkpoint-header.ts";
import { type CheckpointPayload, readCheckpointPayload } from "./checkpoint-payload.ts";
import { checkpointSigner } from "./checkpoint-proposal.ts";
import { attestationPayload } from "./digests.ts";
import { checkContext, contextBytes, type MessageRollup } from "./message-rollup.ts";
import type { RecoverSigner } from "./recover.ts";
import { WireReader } from "./wire-reader.ts";
import { messageSigner, WIRE_SIGNATURE_BYTES, type WireSignature } from "./wire-signature.ts";

/** A committee member's signature over a checkpoint proposal. */
export interface CheckpointAttestation extends CheckpointPayload {
  /** The attester's. */
  signature: WireSignature;
  /** Copied from the checkpoint proposal. */
  proposerSignature: WireSignature;
}

/**
 * Decodes a message of topic checkpoint_attestation (docs/protocol/10-peers.md#109-wrapper-and-messages); parts are
 * views. Bytes after the message are ignored. Throws a DecodeError.
 */
export function decodeCheckpointAttestation(bytes: Uint8Array, rollup: MessageRollup): CheckpointAttestation {
  const reader = new WireReader(bytes, "checkpoint attestation");
  const payload = readCheckpointPayload(reader, rollup);
  checkContext(reader, rollup);
  return {
    ...payload,
    signature: reader.take(WIRE_SIGNATURE_BYTES, "signature"),
    proposerSignature: reader.take(WIRE_SIGNATURE_BYTES, "signature of the proposer"),
  };
}

export function encodeCheckpointAttestation(attestation: CheckpointAttestation, rollup: MessageRollup): Uint8Array {
  const { header, archive, feeAssetPriceModifier, signature, proposerSignature } = attestation;
  return concat(header, archive, feeAssetPriceModifier, contextBytes(rollup), signature, proposerSignature);
}

/**
 * keccak256 of what attesters sign, computable from a proposal and an attestation alike
 * (docs/protocol/10-peers.md#1010-signatures).
 */
export function attestationPayloadHash(
  { header, archive, feeAssetPriceModifier }: CheckpointPayload,
  { generation: { consensus } }: Pick<MessageRollup, "generation">,
): Uint8Array {
  return keccak_256(attestationPayload(consensus, archive, feeAssetPriceModifier, checkpointHash(header)));
}

/** Address of the attester. Undefined if its signature is invalid. */
export function attester(
  attestation: CheckpointAttestation,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  const payloadHash = attestationPayloadHash(attestation, rollup);
  return messageSigner("checkpointAttestation", payloadHash, attestation.signature, recover, rollup);
}

/** Address whose checkpoint proposal is attested. Undefined if the proposer's signature is invalid. */
export function attestedProposer(
  { proposerSignature, ...payload }: CheckpointAttestation,
  recover: RecoverSigner,
  rollup: MessageRollup,
): Uint8Array | undefined {
  return checkpointSigner({ ...payload, signature: proposerSignature }, recover, rollup);
}
