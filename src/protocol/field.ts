import { bigUintBytes } from "./bytes.ts";

/**
 * A BN254 scalar: 32 big-endian bytes, canonical (below the modulus). docs/protocol/01-fields-and-hashing.md#11-fields.
 * The alias documents intent; values are plain byte views so that nothing is copied or boxed on hot paths.
 */
export type Fr = Uint8Array;

export const FR_MODULUS = 0x30644e72e131a029b85045b68181585d2833e84879b9709143e1f593f0000001n;
const FR_MODULUS_BYTES = bigUintBytes(FR_MODULUS, 32);

export const FR_ZERO: Fr = new Uint8Array(32);

export function isCanonicalFr(bytes: Uint8Array, at = 0): boolean {
  for (let i = 0; i < 32; i++) {
    const d = bytes[at + i] - FR_MODULUS_BYTES[i];
    if (d !== 0) return d < 0;
  }
  return false;
}

/** The field element of an integer in `0 .. p-1`. */
export function fr(value: bigint | number): Fr {
  const v = BigInt(value);
  if (v < 0n || v >= FR_MODULUS) throw new RangeError(`${v} is not a field element`);
  return bigUintBytes(v, 32);
}
