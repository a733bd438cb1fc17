import type { CheckpointAttestation } from "../../../protocol/consensus/checkpoint-attestation.ts";
import { signedBigInt } from "../../../protocol/consensus/signed-integer.ts";
import { shortSignature } from "../../../protocol/consensus/wire-signature.ts";
import { encoder } from "../json/encoder.ts";
import { about, record } from "../json/json-schema.ts";
import { FIELD, RELEASE_SIGNATURE, SIGNED_DECIMAL } from "../json/scalars.ts";
import { encodeCheckpointHeader } from "./checkpoint.ts";

const ATTESTATION = record("ReleaseCheckpointAttestation", "A validator's attestation to a checkpoint proposal.", {
  payload: record("ReleaseConsensusPayload", "What was signed.", {
    header: encodeCheckpointHeader.schema,
    archive: about(FIELD, "Root of the archive after the checkpoint."),
    feeAssetPriceModifier: about(SIGNED_DECIMAL, "Change of the fee asset's price, in basis points."),
  }),
  signature: about(RELEASE_SIGNATURE, "The validator's."),
  proposerSignature: about(RELEASE_SIGNATURE, "The proposer's."),
});

/** CheckpointAttestation of the p2p namespace (docs/protocol/05-rpc.md#532-peers). */
export const encodeAttestation = encoder<CheckpointAttestation>(ATTESTATION, (out, attestation) => {
  out.text('{"payload":{"header":');
  encodeCheckpointHeader(out, attestation.header);
  out.text(',"archive":').word(attestation.archive);
  out.text(',"feeAssetPriceModifier":').decimal(signedBigInt(attestation.feeAssetPriceModifier));
  out.text('},"signature":').hex(shortSignature(attestation.signature));
  out.text(',"proposerSignature":').hex(shortSignature(attestation.proposerSignature)).text("}");
});
