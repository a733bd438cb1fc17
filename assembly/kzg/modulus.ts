/**
 * The modulus p of BLS12-381's base field (EIP-2537) in fourteen limbs of 28 bits, lowest first. An element in memory
 * is fourteen u64:
 *
 *   0 limb 0 | 8 limb 1 | .. | 104 limb 13        ELEMENT = 112 bytes
 *
 * Elements are in Montgomery form, x * R mod p with R = 2^392, and not fully reduced: functions state their bounds in
 * multiples of p. R > 2519 p leaves room for sums to go into products unreduced. Limbs are below 2^28, except that of
 * the top one no more is asked than what the value needs.
 */
export const LIMBS: i32 = 14;
export const LIMB_BITS: u64 = 28;
export const MASK: u64 = 0xfffffff;
export const ELEMENT: usize = 112;

/** -1 / p mod 2^28. */
export const QUOTIENT: u64 = 0xffcfffd;

export const P0: u64 = 0xfffaaab;
export const P1: u64 = 0xfefffff;
export const P2: u64 = 0x3ffffb9;
export const P3: u64 = 0xfffeb15;
export const P4: u64 = 0x6241eab;
export const P5: u64 = 0xa0f6b0f;
export const P6: u64 = 0xf6730d2;
export const P7: u64 = 0xf38512b;
export const P8: u64 = 0x4774b84;
export const P9: u64 = 0x4bacd76;
export const P10: u64 = 0xba7b643;
export const P11: u64 = 0xe69a4b1;
export const P12: u64 = 0x1ea397f;
export const P13: u64 = 0x1a011;
