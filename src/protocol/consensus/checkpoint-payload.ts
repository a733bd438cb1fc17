import { isZero } from "../bytes.ts";
import { CHECKPOINT_AT, type CheckpointHeader } from "../checkpoint-header.ts";
import type { MessageRollup } from "./message-rollup.ts";
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

/** Offsets of the field elements that each checkpoint header has. */
const HEADER_FIELDS = [
  ...[CHECKPOINT_AT.lastArchiveRoot, CHECKPOINT_AT.blockHeadersHash, CHECKPOINT_AT.blobsHash, CHECKPOINT_AT.inHash],
  ...[CHECKPOINT_AT.epochOutHash, CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.feeRecipient, CHECKPOINT_AT.totalManaUsed],
];

export function readCheckpointPayload(
  reader: WireReader,
  { generation: { headers } }: Pick<MessageRollup, "generation">,
): CheckpointPayload {
  const fieldsAt = [...HEADER_FIELDS, ...(headers.accumulatedFeesAt === undefined ? [] : [headers.accumulatedFeesAt])];
  const header = reader.struct(headers.checkpointBytes, fieldsAt, "checkpoint header");
  const slot = header.subarray(CHECKPOINT_AT.slotNumber, CHECKPOINT_AT.slotNumber + 32);
  if (!isZero(slot.subarray(0, 25)) || slot[25] > 31) reader.fail("slot must be at most 2^53 - 1");
  return {
    header,
    archive: reader.fields(1, "archive root"),
    feeAssetPriceModifier: reader.take(32, "fee asset price modifier"),
  };
}
