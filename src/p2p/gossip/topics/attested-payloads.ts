import { concat, mapKey } from "../../../protocol/bytes.ts";
import {
  attestationPayloadHash,
  type CheckpointAttestation,
} from "../../../protocol/consensus/checkpoint-attestation.ts";
import type { CheckpointPayload } from "../../../protocol/consensus/checkpoint-payload.ts";
import { checkpointSigner } from "../../../protocol/consensus/checkpoint-proposal.ts";
import type { MessageRollup } from "../../../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../../../protocol/consensus/recover.ts";
import type { WireSignature } from "../../../protocol/consensus/wire-signature.ts";
import { dropOldest } from "../../../storage/drop-oldest.ts";

const KEPT_PAYLOADS = 32;
/** Signatures of proposers by payload; an honest proposer makes one. */
const KEPT_SIGNATURES = 4;

interface Payload {
  digest: Uint8Array;
  /** By the proposer's signature. */
  proposers: Map<string, Uint8Array>;
}

/** Attesters of a slot sign the same payload and copy the same signature of the proposer: both are worked out once. */
export class AttestedPayloads {
  readonly #payloads = new Map<string, Payload>();
  readonly #recoverSigner: RecoverSigner;
  readonly #rollup: MessageRollup;

  constructor(recover: RecoverSigner, rollup: MessageRollup) {
    this.#recoverSigner = recover;
    this.#rollup = rollup;
  }

  /** The 32 bytes that the attester signed. */
  digest(attestation: CheckpointPayload): Uint8Array {
    return this.#payload(attestation).digest;
  }

  /** Address of the proposer. Undefined if its signature is invalid. */
  proposer(attestation: CheckpointAttestation): Uint8Array | undefined {
    const { proposers } = this.#payload(attestation);
    const key = mapKey(attestation.proposerSignature);
    return proposers.get(key) ?? this.#recover(attestation, attestation.proposerSignature, proposers, key);
  }

  #recover(
    payload: CheckpointPayload,
    signature: WireSignature,
    proposers: Map<string, Uint8Array>,
    key: string,
  ): Uint8Array | undefined {
    const signer = checkpointSigner({ ...payload, signature }, this.#recoverSigner, this.#rollup);
    if (signer !== undefined) {
      proposers.set(key, signer);
      dropOldest(proposers, KEPT_SIGNATURES);
    }
    return signer;
  }

  #payload(attestation: CheckpointPayload): Payload {
    const { header, archive, feeAssetPriceModifier } = attestation;
    const key = mapKey(concat(header, archive, feeAssetPriceModifier));
    let payload = this.#payloads.get(key);
    if (payload === undefined) {
      const { consensus } = this.#rollup.generation;
      const payloadHash = attestationPayloadHash(attestation, this.#rollup);
      const digest = consensus.signedDigest("checkpointAttestation", payloadHash, this.#rollup);
      payload = { digest, proposers: new Map() };
      this.#payloads.set(key, payload);
      dropOldest(this.#payloads, KEPT_PAYLOADS);
    }
    return payload;
  }
}
