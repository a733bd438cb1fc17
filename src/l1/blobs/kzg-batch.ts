import { randomBytes } from "node:crypto";
import { pippenger } from "@noble/curves/abstract/curve.js";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bigUintBytes, equal, readBigUint } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../protocol/constants.ts";

/** Computes the KZG commitment of a blob (48 bytes). Throws if a word is not below the scalar modulus. */
export type Commit = (blob: Uint8Array) => Uint8Array;

const { Point } = bls12_381.G1;
const MODULUS = bls12_381.fields.Fr.ORDER;
const MODULUS_TOP_BYTE = Number(MODULUS >> 248n);

/**
 * Whether `commitments[i]` is the commitment of `blobs[i]`, for all i at once: with random 128-bit r_i, the commitment
 * of the blob sum(r_i * blob_i) must be sum(r_i * C_i). Commitments are linear, so a wrong pair passes with probability
 * 2^-128. Only one commitment is computed for any number of blobs. Words must be canonical, since otherwise two blobs
 * would have one commitment.
 */
export function allMatch(commit: Commit, blobs: readonly Uint8Array[], commitments: readonly Uint8Array[]): boolean {
  const factors = blobs.map(() => readBigUint(randomBytes(16)));
  const sums = new Array<bigint>(FIELDS_PER_BLOB).fill(0n);
  for (const [i, blob] of blobs.entries()) {
    const words = Buffer.from(blob.buffer, blob.byteOffset, blob.length);
    for (let k = 0; k < FIELDS_PER_BLOB; k++) {
      const at = k * 32;
      const high = (words.readBigUInt64BE(at) << 64n) | words.readBigUInt64BE(at + 8);
      const low = (words.readBigUInt64BE(at + 16) << 64n) | words.readBigUInt64BE(at + 24);
      if (high === 0n && low === 0n) continue;
      const word = (high << 128n) | low;
      if (words[at] >= MODULUS_TOP_BYTE && word >= MODULUS) return false;
      sums[k] += factors[i] * word;
    }
  }
  const combination = new Uint8Array(BYTES_PER_BLOB);
  for (let k = 0; k < FIELDS_PER_BLOB; k++) {
    if (sums[k] !== 0n) combination.set(bigUintBytes(sums[k] % MODULUS, 32), k * 32);
  }
  let expected: InstanceType<typeof Point>;
  try {
    expected = pippenger(
      Point,
      commitments.map((c) => Point.fromBytes(c)),
      factors,
    );
  } catch {
    return false;
  }
  return equal(commit(combination), expected.toBytes(true));
}

/** `allMatch` for one pair. */
function matches(commit: Commit, blob: Uint8Array, commitment: Uint8Array): boolean {
  try {
    return equal(commit(blob), commitment);
  } catch {
    return false;
  }
}

/** For each blob, whether its commitment is correct. Checks all in one batch, and one by one only if that fails. */
export function checkBlobs(
  commit: Commit,
  blobs: readonly Uint8Array[],
  commitments: readonly Uint8Array[],
): boolean[] {
  if (blobs.length > 1 && allMatch(commit, blobs, commitments)) return blobs.map(() => true);
  return blobs.map((blob, i) => matches(commit, blob, commitments[i]));
}
