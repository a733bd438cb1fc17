import { readBigUint, readUint } from "./bytes.ts";
import { shaField } from "./sha-field.ts";

/**
 * A checkpoint header is kept as its bytes (docs/protocol/03-blocks-and-blobs.md#35-checkpoint-header):
 *
 *   0 lastArchiveRoot | 32 blockHeadersHash | 64 blobsHash | 96 inHash | 128 epochOutHash | 160 slotNumber 32
 *   192 timestamp u64 | 200 coinbase 20 | 220 feeRecipient 32 | 252 feePerDaGas u128 | 268 feePerL2Gas u128
 *   284 totalManaUsed 32 | what a generation adds (generations/headers.ts)
 */
export type CheckpointHeader = Uint8Array;

export const CHECKPOINT_AT = {
  lastArchiveRoot: 0,
  blockHeadersHash: 32,
  blobsHash: 64,
  inHash: 96,
  epochOutHash: 128,
  slotNumber: 160,
  timestamp: 192,
  coinbase: 200,
  feeRecipient: 220,
  feePerDaGas: 252,
  feePerL2Gas: 268,
  totalManaUsed: 284,
} as const;

/** The checkpoint hash that L1 and the chain tips use. */
export function checkpointHash(header: CheckpointHeader): Uint8Array {
  return shaField(header);
}

/** Exact for slots up to 2^53 - 1, the largest that a header may hold. */
export function checkpointSlot(header: CheckpointHeader): number {
  const at = CHECKPOINT_AT.slotNumber + 25;
  return header[at] * 2 ** 48 + readUint(header, at + 1, 6);
}

export function checkpointTimestamp(header: CheckpointHeader): bigint {
  return readBigUint(header, CHECKPOINT_AT.timestamp, 8);
}
