import { bigUintBytes, concat, readBigUint, readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";
import type { Generation } from "../../protocol/generations/generation.ts";
import type { Store } from "../../storage/store.ts";
import type { Table } from "../../storage/table.ts";
import { decodeAttestations, encodeAttestations } from "./attestations.ts";
import { LAST_NUMBER_KEY, numberKey } from "./keys.ts";
import type { CheckpointRecord } from "./records.ts";

/**
 * Checkpoints by number u32: the header in the generation's form, and after it
 *
 *   0 archive root 32 | 32 out hash 32 | 64 first block u32 | 68 blocks u32
 *   72 fee asset price modifier, two's complement 32 | 104 L1 block u48 | 110 its timestamp u48 | 116 its hash 32
 *   148 attestations (see attestations.ts)
 */
const AT = {
  archiveRoot: 0,
  outHash: 32,
  startBlock: 64,
  blockCount: 68,
  feeAssetPriceModifier: 72,
  l1Number: 104,
  l1Timestamp: 110,
  l1Hash: 116,
  attestations: 148,
} as const;

export class Checkpoints {
  readonly #table: Table;
  readonly #headerBytes: number;

  constructor(store: Store, { headers }: Pick<Generation, "headers">) {
    this.#table = store.table("chain-checkpoints");
    this.#headerBytes = headers.checkpointBytes;
  }

  get(number: number): CheckpointRecord | undefined {
    const bytes = this.#table.get(numberKey(number));
    return bytes && decode(number, bytes, this.#headerBytes);
  }

  /** The highest checkpoint. */
  last(): CheckpointRecord | undefined {
    const entry = this.#table.atOrBefore(LAST_NUMBER_KEY);
    return entry && decode(readU32(entry.key, 0), entry.value, this.#headerBytes);
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
  fixed.set(c.archiveRoot, AT.archiveRoot);
  fixed.set(c.outHash, AT.outHash);
  writeU32(fixed, AT.startBlock, c.startBlock);
  writeU32(fixed, AT.blockCount, c.blockCount);
  fixed.set(bigUintBytes(BigInt.asUintN(256, c.feeAssetPriceModifier), 32), AT.feeAssetPriceModifier);
  writeUint(fixed, AT.l1Number, 6, c.l1.number);
  writeUint(fixed, AT.l1Timestamp, 6, c.l1.timestamp);
  fixed.set(c.l1.hash, AT.l1Hash);
  return concat(c.header, fixed, encodeAttestations(c.attestations));
}

function decode(number: number, row: Uint8Array, headerBytes: number): CheckpointRecord {
  const bytes = row.subarray(headerBytes);
  return {
    number,
    header: row.subarray(0, headerBytes),
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
