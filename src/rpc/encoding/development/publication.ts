import type { CheckpointRecord } from "../../../archiver/types.ts";
import type { CommitteeAttestation, L1Block } from "../../../l1/types.ts";
import type { JsonWriter } from "../json-writer.ts";

const NO_SIGNATURE = `"0x${"0".repeat(130)}"`;

/** CommitteeAttestation: a signature is always 65 bytes here, zeros for a member that did not sign (sheet 03 section 4.5). */
export function encodeAttestation(out: JsonWriter, { address, signature }: CommitteeAttestation): void {
  out.text('{"address":').hex(address).text(',"signature":');
  if (signature === undefined) out.text(NO_SIGNATURE);
  else out.hex(signature);
  out.text("}");
}

function writeL1Block(out: JsonWriter, l1: L1Block): void {
  out.text('"blockNumber":').decimal(l1.number);
  out.text(',"timestamp":').decimal(l1.timestamp);
  out.text(',"blockHash":').hex(l1.hash);
}

/** L1PublishedData. */
export function encodePublished(out: JsonWriter, l1: L1Block): void {
  out.text("{");
  writeL1Block(out, l1);
  out.text("}");
}

/** What an answer says about the publication of a block's or its own checkpoint. */
export interface PublicationOptions {
  includeL1PublishInfo: boolean;
  includeAttestations: boolean;
}

/** The members `l1` and `attestations` as far as asked for (sheet 03 sections 4.6 and 4.7). Undefined: not on L1 yet. */
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
