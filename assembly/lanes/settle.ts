import {
  asInteger,
  bothOnes,
  carried,
  CARRIED_BIAS,
  CARRY_BIAS,
  digit,
  DIGIT_BITS,
  digitMask,
  digitOnes,
  HALF,
  high,
  HIGH_BITS,
  highOnes,
  low,
  LOW_BITS,
  LOW_ONE,
  MODULUS,
  P4,
  UNIT_BITS,
  unitBits,
} from "./arithmetic";

/** What an inner column of `settle` needs: room for its carry, the bias of the one below, its exponent bits. */
const INNER: u64 = CARRY_BIAS + HALF - CARRIED_BIAS - LOW_BITS - HIGH_BITS;

/** The multiple of p, negated, nearest to a value, from its top column: |t4| < 2^58. */
@inline
function negatedMultiple(t4: v128): v128 {
  const biased = i64x2.shr_u(i64x2.add(t4, i64x2.splat(1 << 59)), 8);
  const top = f64x2.sub(v128.or(biased, i64x2.splat(UNIT_BITS)), f64x2.splat(LOW_ONE));
  const k = f64x2.relaxed_madd(top, f64x2.splat(-256.0 / P4), f64x2.splat(LOW_ONE));
  return f64x2.sub(k, f64x2.splat(LOW_ONE));
}

/**
 * Stores the element whose digits are the integers t0 .. t4 (|t| < 2^58), reduced to less than 0.6 p in size. The value
 * is below 256 p in size.
 *
 *   -> out 80
 */
@inline
export function settle(out: usize, t0: v128, t1: v128, t2: v128, t3: v128, t4: v128): void {
  const h = highOnes();
  const l = bothOnes();
  const mask = digitMask();
  const unit = unitBits();
  const ones = digitOnes();
  const k = negatedMultiple(t4);
  const p0 = v128.load(MODULUS);
  const p1 = v128.load(MODULUS, 16);
  const p2 = v128.load(MODULUS, 32);
  const p3 = v128.load(MODULUS, 48);
  const p4 = v128.load(MODULUS, 64);
  const h0 = high(k, p0, h);
  const h1 = high(k, p1, h);
  const h2 = high(k, p2, h);
  const h3 = high(k, p3, h);
  const h4 = high(k, p4, h);
  t0 = i64x2.add(i64x2.add(t0, low(k, p0, h, l)), i64x2.splat(CARRY_BIAS + HALF - LOW_BITS));
  t1 = i64x2.add(i64x2.add(i64x2.add(t1, h0), low(k, p1, h, l)), i64x2.splat(INNER));
  t2 = i64x2.add(i64x2.add(i64x2.add(t2, h1), low(k, p2, h, l)), i64x2.splat(INNER));
  t3 = i64x2.add(i64x2.add(i64x2.add(t3, h2), low(k, p3, h, l)), i64x2.splat(INNER));
  // The top digit keeps what would be a sixth column; the exponent bits end up as those of LOW_ONE.
  t4 = i64x2.add(i64x2.add(i64x2.add(t4, h3), low(k, p4, h, l)), i64x2.shl(h4, DIGIT_BITS));
  t4 = i64x2.sub(t4, i64x2.splat(CARRIED_BIAS + HIGH_BITS + (HIGH_BITS << DIGIT_BITS)));
  v128.store(out, digit(t0, mask, unit, ones));
  t1 = i64x2.add(t1, carried(t0));
  v128.store(out, digit(t1, mask, unit, ones), 16);
  t2 = i64x2.add(t2, carried(t1));
  v128.store(out, digit(t2, mask, unit, ones), 32);
  t3 = i64x2.add(t3, carried(t2));
  v128.store(out, digit(t3, mask, unit, ones), 48);
  t4 = i64x2.add(t4, carried(t3));
  v128.store(out, f64x2.sub(t4, f64x2.splat(LOW_ONE)), 64);
}

/**
 * out = a + b, reduced to less than 0.6 p in size.
 *
 *   out 80 | a 80 | b 80       out may be a or b
 */
export function addSettled(out: usize, a: usize, b: usize): void {
  settle(out, sum(a, b, 0), sum(a, b, 1), sum(a, b, 2), sum(a, b, 3), sum(a, b, 4));
}

@inline
function sum(a: usize, b: usize, i: usize): v128 {
  return i64x2.sub(i64x2.add(asInteger(a, i), asInteger(b, i)), i64x2.splat(2 * LOW_BITS));
}
