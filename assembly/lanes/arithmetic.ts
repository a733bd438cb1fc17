/**
 * Two elements side by side in the lanes of vectors. An element is five digits of 51 bits, lowest first, each a double
 * that holds an integer: the lower four in -2^50 .. 2^50, the top one with the sign of the value. In memory:
 *
 *   0 digit 0 (lane 0 f64, lane 1 f64) | 16 digit 1 | .. | 64 digit 4        LANES_ELEMENT = 80 bytes
 *
 * Elements are in Montgomery form with R = 2^255 and may be negative: the functions state the bounds they need in
 * multiples of p.
 *
 * A product of two digits is split by fused multiply-adds (Emmart, "Faster modular exponentiation using double
 * precision floating point arithmetic on the GPU", ARITH 2018): adding 3 * 2^102 leaves the product's multiple of 2^51
 * in the low bits of the sum, and a second multiply-add leaves the rest above 3 * 2^51. The bits of such sums are
 * integers plus constant exponent bits, so columns are summed as 64-bit integers.
 */
export const LANES_ELEMENT: usize = 80;

export const DIGIT_BITS: i32 = 51;
export const DIGIT_MASK: u64 = 0x7ffffffffffff;
/** 2^50: turns a digit of 0 .. 2^51-1 into a balanced one. */
export const HALF: u64 = 0x4000000000000;

/** 3 * 2^102 and its bits. */
const HIGH_ONE: f64 = 15211807202738752817960438464512.0;
export const HIGH_BITS: u64 = 0x4668000000000000;
/** 3 * 2^51 and its bits. */
export const LOW_ONE: f64 = 6755399441055744.0;
export const LOW_BITS: u64 = 0x4338000000000000;
/** 2^52 and its bits. */
const UNIT_ONE: f64 = 4503599627370496.0;
export const UNIT_BITS: u64 = 0x4330000000000000;

/** Keeps a column positive while its carry is shifted out; CARRIED_BIAS is its value in the next column. */
export const CARRY_BIAS: u64 = 1 << 60;
export const CARRIED_BIAS: u64 = 1 << 9;

/** p mod 2^51 is 1 + 2^28 h. */
const H: u64 = 0x1f593f;

/** Digits of p, lowest first, 0 .. 2^51-1. */
export const P0: f64 = <f64>0x1f593f0000001;
export const P1: f64 = <f64>0x10f372e12287c;
export const P2: f64 = <f64>0x6056174a0cfa1;
export const P3: f64 = <f64>0x14dc2822db40;
export const P4: f64 = <f64>0x30644e72e131a;

/** p in both lanes. */
export const MODULUS = memory.data(80, 16);

export function storeModulus(): void {
  v128.store(MODULUS, f64x2.splat(P0));
  v128.store(MODULUS, f64x2.splat(P1), 16);
  v128.store(MODULUS, f64x2.splat(P2), 32);
  v128.store(MODULUS, f64x2.splat(P3), 48);
  v128.store(MODULUS, f64x2.splat(P4), 64);
}

/** Constants of `high`, `low`, `digit`, `quotient` and of top digits in both lanes. */
const SPLITTING = memory.data(128, 16);

export function storeSplitting(): void {
  v128.store(SPLITTING, f64x2.splat(HIGH_ONE));
  v128.store(SPLITTING, f64x2.splat(HIGH_ONE + LOW_ONE), 16);
  v128.store(SPLITTING, i64x2.splat(DIGIT_MASK), 32);
  v128.store(SPLITTING, i64x2.splat(UNIT_BITS), 48);
  v128.store(SPLITTING, f64x2.splat(UNIT_ONE + 1125899906842624.0), 64);
  v128.store(SPLITTING, i64x2.splat(H), 80);
  v128.store(SPLITTING, i64x2.splat((H << 28) - 1), 96);
  v128.store(SPLITTING, f64x2.splat(LOW_ONE), 112);
}

// Functions that split many products or columns load these once: a load is one instruction, building a vector from a
// number takes three.

@inline
export function highOnes(): v128 {
  return v128.load(SPLITTING);
}

@inline
export function bothOnes(): v128 {
  return v128.load(SPLITTING, 16);
}

@inline
export function digitMask(): v128 {
  return v128.load(SPLITTING, 32);
}

@inline
export function unitBits(): v128 {
  return v128.load(SPLITTING, 48);
}

@inline
export function digitOnes(): v128 {
  return v128.load(SPLITTING, 64);
}

@inline
export function lowOnes(): v128 {
  return v128.load(SPLITTING, 112);
}

/** Start value of a column that collects `lows` low and `highs` high parts of products. */
@inline
export function start(lows: u64, highs: u64): u64 {
  return 0 - lows * LOW_BITS - highs * HIGH_BITS;
}

/** Multiple of 2^51 nearest to x * y, above HIGH_BITS. |x y| <= 2^102, `h` is highOnes(). */
@inline
export function high(x: v128, y: v128, h: v128): v128 {
  return f64x2.relaxed_madd(x, y, h);
}

/**
 * x * y minus that multiple, above LOW_BITS. The compiler computes `high` of the same operands once. `l` is bothOnes().
 */
@inline
export function low(x: v128, y: v128, h: v128, l: v128): v128 {
  return f64x2.relaxed_madd(x, y, f64x2.sub(l, high(x, y, h)));
}

/** `high` of x * y + z * w: the second multiply-add goes onto the first. |x y| and the sum are at most 2^102. */
@inline
export function highOfTwo(x: v128, y: v128, z: v128, w: v128, h: v128): v128 {
  return f64x2.relaxed_madd(z, w, high(x, y, h));
}

/** `low` of x * y + z * w: the remainder of the first product plus that of the second, together at most 2^51. */
@inline
export function lowOfTwo(x: v128, y: v128, z: v128, w: v128, h: v128, l: v128): v128 {
  const rest = f64x2.relaxed_madd(z, w, f64x2.sub(high(x, y, h), highOfTwo(x, y, z, w, h)));
  return f64x2.add(low(x, y, h, l), rest);
}

/**
 * The low 51 bits of a column as a double, less 2^50. `mask`, `unit` and `ones` are digitMask(), unitBits() and
 * digitOnes().
 */
@inline
export function digit(t: v128, mask: v128, unit: v128, ones: v128): v128 {
  return f64x2.sub(v128.or(v128.and(t, mask), unit), ones);
}

/**
 * -u / p mod 2^51, balanced, of a column t = u + 2^50 - 1. -1/p is 2^28 h - 1, and only 23 bits of u h matter; the
 * constant corrects for the difference between t and u.
 */
@inline
export function quotient(t: v128, mask: v128, unit: v128, ones: v128): v128 {
  const th = i32x4.mul(t, v128.load(SPLITTING, 80));
  return digit(i64x2.add(i64x2.shl(th, 28), i64x2.sub(v128.load(SPLITTING, 96), t)), mask, unit, ones);
}

/** Carry of a column (CARRY_BIAS included) into the next one (CARRIED_BIAS included). */
@inline
export function carried(t: v128): v128 {
  return i64x2.shr_u(t, DIGIT_BITS);
}

@inline
export function add(a: v128, b: v128): v128 {
  return i64x2.add(a, b);
}

/** Digit i of an element as an integer above LOW_BITS. |digit| <= 2^51. */
@inline
export function asInteger(element: usize, i: usize): v128 {
  return f64x2.add(v128.load(element + (i << 4)), f64x2.splat(LOW_ONE));
}
