/**
 * The modulus p of BN254's scalar field in nine limbs of 29 bits, lowest first
 * (docs/protocol/01-fields-and-hashing.md#11-fields). An element in memory is nine u64:
 *
 *   0 limb 0 | 8 limb 1 | .. | 64 limb 8        ELEMENT = 72 bytes
 *
 * Elements are in Montgomery form, x * R mod p with R = 2^261, and are not fully reduced: the functions of this folder
 * state the bounds they need in multiples of p. R > 169 p leaves room for sums to go into products unreduced. "Tight"
 * limbs are below 2^29 (the top one may be larger by what the value needs), "loose" limbs below 2^30.
 */
export const LIMBS: i32 = 9;
export const LIMB_BITS: u64 = 29;
export const MASK: u64 = 0x1fffffff;
export const ELEMENT: usize = 72;

export const P0: u64 = 0x10000001;
export const P1: u64 = 0x1f0fac9f;
export const P2: u64 = 0xe5c2450;
export const P3: u64 = 0x7d090f3;
export const P4: u64 = 0x1585d283;
export const P5: u64 = 0x2db40c0;
export const P6: u64 = 0xa6e141;
export const P7: u64 = 0xe5c2634;
export const P8: u64 = 0x30644e;
