import type { CheckpointRecord } from "../../../archiver/tables/records.ts";
import type { CommitteeAttestation, L1Block } from "../../../l1/types.ts";
import { encoder } from "../json/encoder.ts";
import { about, listOf, members, named, record } from "../json/json-schema.ts";
import type { JsonWriter } from "../json/json-writer.ts";
import { ETH_ADDRESS, SIGNATURE } from "../json/scalars.ts";
import { encodePublished as encodeL1Published, L1_BLOCK_MEMBERS } from "../release/checkpoint.ts";

const NO_SIGNATURE = `"0x${"0".repeat(130)}"`;

const ATTESTATION = record("CommitteeAttestation", "What a member of the committee signed, or did not.", {
  address: about(ETH_ADDRESS, "The member's address."),
  signature: about(SIGNATURE, "Its signature; all zero for a member that did not sign."),
});

/**
 * CommitteeAttestation: the signature always has 65 bytes here, zeros for a member that did not sign
 * (docs/protocol/05-rpc.md#59-values-in-answers).
 */
export const encodeAttestation = encoder<CommitteeAttestation>(ATTESTATION, (out, { address, signature }) => {
  out.text('{"address":').hex(address).text(',"signature":');
  if (signature === undefined) out.text(NO_SIGNATURE);
  else out.hex(signature);
  out.text("}");
});

function writeL1Block(out: JsonWriter, l1: L1Block): void {
  out.text('"blockNumber":').decimal(l1.number);
  out.text(',"timestamp":').decimal(l1.timestamp);
  out.text(',"blockHash":').hex(l1.hash);
}

/** L1PublishedData. */
export const encodePublished = encoder<L1Block>(encodeL1Published.schema, (out, l1) => {
  out.text("{");
  writeL1Block(out, l1);
  out.text("}");
});

/** Members that `writePublication` adds; all are optional. */
export const PUBLICATION_MEMBERS = {
  l1: about(
    named("L1PublishInfo", "The L1 block in which a checkpoint was published, if it was.", {
      anyOf: [
        members({ published: about({ const: false }, "It is not on L1 yet.") }),
        members({ published: about({ const: true }, "It is on L1."), ...L1_BLOCK_MEMBERS }),
      ],
    }),
    "Only with includeL1PublishInfo.",
  ),
  attestations: about(
    listOf(encodeAttestation.schema),
    "Those of the committee's members, in its order; only with includeAttestations, empty until it is on L1.",
  ),
};

/** Which facts about its checkpoint's publication an answer includes. */
export interface PublicationOptions {
  includeL1PublishInfo: boolean;
  includeAttestations: boolean;
}

/**
 * Writes the members `l1` and `attestations` if requested (docs/protocol/05-rpc.md#515-block-objects). Undefined: not
 * on L1 yet.
 */
export function writePublication(
  out: JsonWriter,
  checkpoint: CheckpointRecord | undefined,
  { includeL1PublishInfo, includeAttestations }: PublicationOptions,
): void {
  if (includeL1PublishInfo) {
    out.text(`,"l1":{"published":${checkpoint !== undefined}`);
    if (checkpoint !== undefined) {
      out.text(",");
      writeL1Block(out, checkpoint.l1);
    }
    out.text("}");
  }
  if (includeAttestations) out.text(',"attestations":').array(checkpoint?.attestations ?? [], encodeAttestation);
}
