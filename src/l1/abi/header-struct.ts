import type { Hex } from "viem";
import { readBigUint, toHex } from "../../protocol/bytes.ts";
import { CHECKPOINT_AT, type CheckpointHeader } from "../../protocol/checkpoint-header.ts";

const hex = (bytes: Uint8Array) => toHex(bytes) as Hex;

/** A checkpoint header as the struct of the rollup contract, without what a generation adds. */
export function headerStruct(header: CheckpointHeader) {
  const bytesAt = (at: number, length = 32) => hex(header.subarray(at, at + length));
  const uintAt = (at: number, length = 32) => readBigUint(header, at, length);
  return {
    lastArchiveRoot: bytesAt(CHECKPOINT_AT.lastArchiveRoot),
    blockHeadersHash: bytesAt(CHECKPOINT_AT.blockHeadersHash),
    blobsHash: bytesAt(CHECKPOINT_AT.blobsHash),
    inHash: bytesAt(CHECKPOINT_AT.inHash),
    outHash: bytesAt(CHECKPOINT_AT.epochOutHash),
    slotNumber: uintAt(CHECKPOINT_AT.slotNumber),
    timestamp: uintAt(CHECKPOINT_AT.timestamp, 8),
    coinbase: bytesAt(CHECKPOINT_AT.coinbase, 20),
    feeRecipient: bytesAt(CHECKPOINT_AT.feeRecipient),
    gasFees: {
      feePerDaGas: uintAt(CHECKPOINT_AT.feePerDaGas, 16),
      feePerL2Gas: uintAt(CHECKPOINT_AT.feePerL2Gas, 16),
    },
    totalManaUsed: uintAt(CHECKPOINT_AT.totalManaUsed),
  };
}
