import { bigUintBytes, concat, readBigUint, readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";
import { V4 } from "../../protocol/generations/v4/v4.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { decodeAttestations, encodeAttestations } from "./attestations.ts";
import { LAST_NUMBER_KEY, numberKey } from "./keys.ts";
import type { CheckpointRecord } from "./records.ts";

/**
 * Checkpoints by number u32:
 *
 *   0 header 316 | 316 archive root 32 | 348 out hash 32 | 380 first block u32 | 384 blocks u32
 *   388 fee asset price modifier, two's complement 32 | 420 L1 block u48 | 426 its timestamp u48 | 432 its hash 32
 *   464 attestations (see attestations.ts)
 */
const AT = {
  archiveRoot: V4.headers.checkpointBytes,
  outHash: 348,
  startBlock: 380,
  blockCount: 384,
  feeAssetPriceModifier: 388,
  l1Number: 420,
  l1Timestamp: 426,
  l1Hash: 432,
  attestations: 464,
} as const;

export class Checkpoints {
  readonly #table: Table;

  constructor(store: Store) {
    this.#table = store.table("chain-checkpoints");
  }

  get(number: number): CheckpointRecord | undefined {
    const bytes = this.#table.get(numberKey(number));
    return bytes && decode(number, bytes);
  }

  /** The highest checkpoint. */
  last(): CheckpointRecord | undefined {
    const entry = this.#table.atOrBefore(LAST_NUMBER_KEY);
    return entry && decode(readU32(entry.key, 0), entry.value);
  }

  lastNumber(): number {
    const entry = this.#table.atOrBefore(LAST_NUMBER_KEY);
    return entry === undefined ? 0 : readU32(entry.key, 0);
  }

  put(checkpoint: CheckpointRecord): void {
    this.#table.put(numberKey(checkpoint.number), encode(checkpoint));
  }

  remove(number: number): void {
    this.#table.remove(numberKey(number));
  }
}

function encode(c: CheckpointRecord): Uint8Array {
  const fixed = new Uint8Array(AT.attestations);
  fixed.set(c.header, 0);
  fixed.set(c.archiveRoot, AT.archiveRoot);
  fixed.set(c.outHash, AT.outHash);
  writeU32(fixed, AT.startBlock, c.startBlock);
  writeU32(fixed, AT.blockCount, c.blockCount);
  fixed.set(bigUintBytes(BigInt.asUintN(256, c.feeAssetPriceModifier), 32), AT.feeAssetPriceModifier);
  writeUint(fixed, AT.l1Number, 6, c.l1.number);
  writeUint(fixed, AT.l1Timestamp, 6, c.l1.timestamp);
  fixed.set(c.l1.hash, AT.l1Hash);
  return concat(fixed, encodeAttestations(c.attestations));
}

function decode(number: number, bytes: Uint8Array): CheckpointRecord {
  return {
    number,
    header: bytes.subarray(0, V4.headers.checkpointBytes),
    archiveRoot: bytes.subarray(AT.archiveRoot, AT.archiveRoot + 32),
    outHash: bytes.subarray(AT.outHash, AT.outHash + 32),
    startBlock: readU32(bytes, AT.startBlock),
    blockCount: readU32(bytes, AT.blockCount),
    feeAssetPriceModifier: BigInt.asIntN(256, readBigUint(bytes, AT.feeAssetPriceModifier, 32)),
    l1: {
      number: readUint(bytes, AT.l1Number, 6),
      timestamp: readUint(bytes, AT.l1Timestamp, 6),
      hash: bytes.subarray(AT.l1Hash, AT.l1Hash + 32),
    },
    attestations: decodeAttestations(bytes, AT.attestations),
  };
}
