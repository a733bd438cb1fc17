import { concat } from "../../protocol/bytes.ts";
import { DecodeError } from "../../protocol/errors.ts";
import type { CommitteeAttestation } from "../types.ts";

/**
 * Reads the packed committee of `propose` calldata (docs/protocol/04-l1-contracts.md#49-calldata-of-propose): member i
 * signed when bit 7 - i % 8 of byte i / 8 of the bitmap is set and then has v, r, s (65 bytes), else its address (20
 * bytes). Two empty byte strings are an escape-hatch checkpoint or a network without a committee and give no entries.
 * Throws a DecodeError when there are too few bytes.
 */
export function readPackedAttestations(
  signatureIndices: Uint8Array,
  signaturesOrAddresses: Uint8Array,
  committeeSize: number,
): CommitteeAttestation[] {
  if (signatureIndices.length === 0 && signaturesOrAddresses.length === 0) return [];
  const subject = "packed attestations";
  if (signatureIndices.length * 8 < committeeSize) {
    throw new DecodeError(subject, `bitmap must cover ${committeeSize} members, got ${signatureIndices.length} bytes`);
  }
  const entries: CommitteeAttestation[] = [];
  let at = 0;
  for (let i = 0; i < committeeSize; i++) {
    const signed = (signatureIndices[i >> 3] >> (7 - (i & 7))) & 1;
    const length = signed ? 65 : 20;
    const entry = signaturesOrAddresses.subarray(at, at + length);
    if (entry.length < length)
      throw new DecodeError(subject, `member ${i} needs ${length} bytes, ${entry.length} are left`);
    entries.push(
      signed
        ? { address: new Uint8Array(20), signature: concat(entry.subarray(1), entry.subarray(0, 1)) }
        : { address: entry.slice(), signature: undefined },
    );
    at += length;
  }
  return entries;
}

/** A committee's attestations as `propose` posts them. */
export interface PostedAttestations {
  readonly signatureIndices: Uint8Array;
  readonly signaturesOrAddresses: Uint8Array;
}

/** The bytes that were posted, whose hash L1 compares. A signature of zeros is repacked as a signature. */
export function repackAttestations(entries: readonly CommitteeAttestation[], unusedBits: number): PostedAttestations {
  const signatureIndices = new Uint8Array(Math.ceil(entries.length / 8));
  const parts = entries.flatMap(({ address, signature }, i) => {
    if (signature === undefined) return [address];
    signatureIndices[i >> 3] |= 0x80 >> (i & 7);
    return [signature.subarray(64), signature.subarray(0, 64)];
  });
  if (unusedBits !== 0) signatureIndices[signatureIndices.length - 1] |= unusedBits;
  return { signatureIndices, signaturesOrAddresses: concat(...parts) };
}

/**
 * The bits of the bitmap's last byte that belong to no member. L1 ignores them, but they are part of the attestations'
 * hash.
 */
export function unusedBits(signatureIndices: Uint8Array, committeeSize: number): number {
  const used = committeeSize & 7;
  return used === 0 ? 0 : (signatureIndices.at(-1) ?? 0) & (0xff >> used);
}
