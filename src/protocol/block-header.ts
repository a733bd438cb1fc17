import { bigUintBytes, readBigUint, readU32, writeU32 } from "./bytes.ts";
import type { TreeId } from "./constants.ts";
import { DecodeError } from "./errors.ts";

/**
 * A block header is kept as its 440 bytes (docs/protocol/03-blocks-and-blobs.md#32-block-header):
 *
 *   0 lastArchive root 32, index u32 | 36 l1ToL2 | 72 noteHash | 108 nullifier | 144 publicData
 *     (root 32, index u32 each)
 *   180 spongeBlobHash | 212 chainId 32 | 244 version 32 | 276 blockNumber u32 | 280 slotNumber u32 | 284 timestamp u64
 *   292 coinbase 20 | 312 feeRecipient 32 | 344 feePerDaGas u128 | 360 feePerL2Gas u128
 *   376 totalFees 32 | 408 totalManaUsed 32
 */
export type BlockHeader = Uint8Array;

export const BLOCK_HEADER_BYTES = 440;

export const HEADER_AT = {
  lastArchive: 0,
  l1ToL2MessageTree: 36,
  noteHashTree: 72,
  nullifierTree: 108,
  publicDataTree: 144,
  spongeBlobHash: 180,
  chainId: 212,
  version: 244,
  blockNumber: 276,
  slotNumber: 280,
  timestamp: 284,
  coinbase: 292,
  feeRecipient: 312,
  feePerDaGas: 344,
  feePerL2Gas: 360,
  totalFees: 376,
  totalManaUsed: 408,
} as const;

/**
 * Byte offset of each tree's (root, index) snapshot, by tree id. The archive's snapshot is the one before the block.
 */
export const HEADER_SNAPSHOT_AT: Record<TreeId, number> = { 0: 108, 1: 72, 2: 144, 3: 36, 4: 0 };

export function blockHeaderFromBytes(bytes: Uint8Array): BlockHeader {
  if (bytes.length !== BLOCK_HEADER_BYTES) {
    throw new DecodeError("block header", `must be ${BLOCK_HEADER_BYTES} bytes, got ${bytes.length}`);
  }
  return bytes;
}

export function headerBlockNumber(header: BlockHeader): number {
  return readU32(header, HEADER_AT.blockNumber);
}

export function headerSlotNumber(header: BlockHeader): number {
  return readU32(header, HEADER_AT.slotNumber);
}

export function headerTimestamp(header: BlockHeader): bigint {
  return readBigUint(header, HEADER_AT.timestamp, 8);
}

/** View of the sum of the block's transaction fees. */
export function headerTotalFees(header: BlockHeader): Uint8Array {
  return header.subarray(HEADER_AT.totalFees, HEADER_AT.totalManaUsed);
}

/** Mana of the block, a gas amount far below 2^53. */
export function headerTotalMana(header: BlockHeader): number {
  return Number(readBigUint(header, HEADER_AT.totalManaUsed, 32));
}

/** View of the hash of the checkpoint's blob words up to the end of the block. */
export function headerSpongeHash(header: BlockHeader): Uint8Array {
  return header.subarray(HEADER_AT.spongeBlobHash, HEADER_AT.chainId);
}

/** Root (32-byte view) and next leaf index of a tree's snapshot inside a header. */
export function headerSnapshot(header: BlockHeader, tree: TreeId): { root: Uint8Array; size: number } {
  const at = HEADER_SNAPSHOT_AT[tree];
  return { root: header.subarray(at, at + 32), size: readU32(header, at + 32) };
}

/** Width in bytes of the 22 fields of a header, in order. */
const FIELD_WIDTHS = [32, 4, 32, 4, 32, 4, 32, 4, 32, 4, 32, 32, 32, 4, 4, 8, 20, 32, 16, 16, 32, 32] as const;
export const BLOCK_HEADER_FIELDS = FIELD_WIDTHS.length;

/** Writes the 22 fields as 32-byte words (704 bytes) to `out` at `at`. */
export function writeHeaderFields(header: BlockHeader, out: Uint8Array, at: number): void {
  let from = 0;
  for (const width of FIELD_WIDTHS) {
    out.fill(0, at, at + 32 - width);
    out.set(header.subarray(from, from + width), at + 32 - width);
    from += width;
    at += 32;
  }
}

/**
 * Builds the genesis header: all zero except the given tree snapshots and timestamp (seconds)
 * (docs/protocol/02-trees.md#213-genesis-header-and-constants).
 */
export function genesisHeader(
  snapshots: { tree: TreeId; root: Uint8Array; size: number }[],
  timestamp = 0n,
): BlockHeader {
  const header = new Uint8Array(BLOCK_HEADER_BYTES);
  for (const { tree, root, size } of snapshots) {
    header.set(root, HEADER_SNAPSHOT_AT[tree]);
    writeU32(header, HEADER_SNAPSHOT_AT[tree] + 32, size);
  }
  header.set(bigUintBytes(timestamp, 8), HEADER_AT.timestamp);
  return header;
}
