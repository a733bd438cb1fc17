import { isZero } from "../bytes.ts";
import { CHECKPOINT_AT, type CheckpointHeader } from "../checkpoint-header.ts";
import { V4 } from "../generations/v4/v4.ts";
import type { WireReader } from "./wire-reader.ts";

/** What a checkpoint's proposer and its attesters sign, each in another form. */
export interface CheckpointPayload {
  header: CheckpointHeader;
  /** 32 bytes: root of the archive after the checkpoint's last block. */
  archive: Uint8Array;
  /**
   * 32 bytes, in two's complement (signed-integer.ts): change of the fee asset's price that the proposer votes for, in
   * basis points.
   */
  feeAssetPriceModifier: Uint8Array;
}

/** Header, archive, modifier. */
export const CHECKPOINT_PAYLOAD_BYTES = V4.headers.checkpointBytes + 64;

/** Offsets of a checkpoint header's field elements. */
const HEADER_FIELDS = [
  ...[CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.blockHeadersHash, CHECKPOINT_AT.blobsHash, CHECKPOINT_AT.inHash],
  ...[CHECKPOINT_AT.epochOutHash, CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.feeRecipient, CHECKPOINT_AT.totalManaUsed],
];

export function readCheckpointPayload(reader: WireReader): CheckpointPayload {
  const header = reader.struct(V4.headers.checkpointBytes, HEADER_FIELDS, "checkpoint header");
  const slot = header.subarray(CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.slotNumber + 32);
  if (!isZero(slot.subarray(0, 25)) || slot[25] > 31) reader.fail("slot must be at most 2^53 - 1");
  return {
    header,
    archive: reader.fields(1, "archive root"),
    feeAssetPriceModifier: reader.take(32, "fee asset price modifier"),
  };
}
