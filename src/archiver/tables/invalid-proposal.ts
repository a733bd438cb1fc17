import type { CommitteeAttestation } from "../../l1/types.ts";
import { bigUintBytes, concat, readBigUint, readU32, readUint, writeU32, writeUint } from "../../protocol/bytes.ts";

import { decodeAttestations, encodeAttestations } from "./attestations.ts";

/** First of a run of consecutive invalid proposals on L1. */
export interface InvalidProposal {
  reason: "invalid-attestation" | "insufficient-attestations";
  invalidIndex: number | undefined;
  checkpointNumber: number;
  archiveRoot: Uint8Array;
  lastArchiveRoot: Uint8Array;
  slotNumber: number;
  /** Seconds. */
  timestamp: bigint;
  epoch: number;
  seed: bigint;
  committee: Uint8Array[];
  attestors: Uint8Array[];
  attestations: CommitteeAttestation[];
  /** Bits of the posted bitmap that belong to no member. */
  unusedBits: number;
}

/**
 *   0 bit 0: reason (0 bad attestation, 1 too few), bits 1 to 7: unused bits of the posted bitmap
 *   1 invalid index u32, all ones for none | 5 checkpoint u32 | 9 slot u48 | 15 timestamp u64
 *   23 archive root 32 | 55 last archive root 32 | 87 epoch u48 | 93 seed 32
 *   125 committee: count u32, 20 each | attestors: count u32, 20 each | attestations (see attestations.ts)
 */
const FIXED_BYTES = 125;
const NO_INDEX = 0xffffffff;
const REASONS = ["invalid-attestation", "insufficient-attestations"] as const;

export function encodeInvalidProposal(p: InvalidProposal): Uint8Array {
  const fixed = new Uint8Array(FIXED_BYTES);
  fixed[0] = REASONS.indexOf(p.reason) | (p.unusedBits << 1);
  writeU32(fixed, 1, p.invalidIndex ?? NO_INDEX);
  writeU32(fixed, 5, p.checkpointNumber);
  writeUint(fixed, 9, 6, p.slotNumber);
  fixed.set(bigUintBytes(p.timestamp, 8), 15);
  fixed.set(p.archiveRoot, 23);
  fixed.set(p.lastArchiveRoot, 55);
  writeUint(fixed, 87, 6, p.epoch);
  fixed.set(bigUintBytes(p.seed, 32), 93);
  return concat(fixed, addresses(p.committee), addresses(p.attestors), encodeAttestations(p.attestations));
}

export function decodeInvalidProposal(bytes: Uint8Array): InvalidProposal {
  const invalidIndex = readU32(bytes, 1);
  const attestorsAt = FIXED_BYTES + 4 + 20 * readU32(bytes, FIXED_BYTES);
  const attestationsAt = attestorsAt + 4 + 20 * readU32(bytes, attestorsAt);
  return {
    reason: REASONS[bytes[0] & 1],
    invalidIndex: invalidIndex === NO_INDEX ? undefined : invalidIndex,
    checkpointNumber: readU32(bytes, 5),
    slotNumber: readUint(bytes, 9, 6),
    timestamp: readBigUint(bytes, 15, 8),
    archiveRoot: bytes.subarray(23, 55),
    lastArchiveRoot: bytes.subarray(55, 87),
    epoch: readUint(bytes, 87, 6),
    seed: readBigUint(bytes, 93, 32),
    committee: readAddresses(bytes, FIXED_BYTES),
    attestors: readAddresses(bytes, attestorsAt),
    attestations: decodeAttestations(bytes, attestationsAt),
    unusedBits: bytes[0] >> 1,
  };
}

function addresses(list: Uint8Array[]): Uint8Array {
  const count = new Uint8Array(4);
  writeU32(count, 0, list.length);
  return concat(count, ...list);
}

function readAddresses(bytes: Uint8Array, at: number): Uint8Array[] {
  return Array.from({ length: readU32(bytes, at) }, (_, i) => bytes.subarray(at + 4 + i * 20, at + 24 + i * 20));
}
