import {
  asInteger,
  CARRIED_BIAS,
  CARRY_BIAS,
  carried,
  digit,
  HALF,
  high,
  LOW_BITS,
  LOW_ONE,
  low,
  MODULUS,
  quotient,
  start,
} from "./arithmetic";

/**
 * Operand scanning: ten columns t of 51 bits collect the rows of a * b and m * p, row i of the latter clearing column i. A column
 * starts at minus the exponent bits that its terms bring along.
 */
@inline
function product(out: usize, a: usize, b: usize, addend: usize, adds: bool): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const a2 = v128.load(a, 32);
  const a3 = v128.load(a, 48);
  const a4 = v128.load(a, 64);
  const b0 = v128.load(b);
  const b1 = v128.load(b, 16);
  const b2 = v128.load(b, 32);
  const b3 = v128.load(b, 48);
  const b4 = v128.load(b, 64);
  const p0 = v128.load(MODULUS);
  const p1 = v128.load(MODULUS, 16);
  const p2 = v128.load(MODULUS, 32);
  const p3 = v128.load(MODULUS, 48);
  const p4 = v128.load(MODULUS, 64);
  let t0 = i64x2.splat(start(2, 0) + CARRY_BIAS);
  let t1 = i64x2.splat(start(4, 2) + CARRY_BIAS - CARRIED_BIAS);
  let t2 = i64x2.splat(start(6, 4) + CARRY_BIAS - CARRIED_BIAS);
  let t3 = i64x2.splat(start(8, 6) + CARRY_BIAS - CARRIED_BIAS);
  let t4 = i64x2.splat(start(10, 8) + CARRY_BIAS - CARRIED_BIAS);
  let t5 = i64x2.splat(start(8, 10) + CARRY_BIAS - CARRIED_BIAS + HALF - (adds ? LOW_BITS : 0));
  let t6 = i64x2.splat(start(6, 8) + CARRY_BIAS - CARRIED_BIAS + HALF - (adds ? LOW_BITS : 0));
  let t7 = i64x2.splat(start(4, 6) + CARRY_BIAS - CARRIED_BIAS + HALF - (adds ? LOW_BITS : 0));
  let t8 = i64x2.splat(start(2, 4) + CARRY_BIAS - CARRIED_BIAS + HALF - (adds ? LOW_BITS : 0));
  let t9 = i64x2.splat(start(0, 2) - CARRIED_BIAS + LOW_BITS - (adds ? LOW_BITS : 0));
  let h: v128;

  h = high(a0, b0);
  t0 = i64x2.add(t0, low(a0, b0, h));
  t1 = i64x2.add(t1, h);
  h = high(a0, b1);
  t1 = i64x2.add(t1, low(a0, b1, h));
  t2 = i64x2.add(t2, h);
  h = high(a0, b2);
  t2 = i64x2.add(t2, low(a0, b2, h));
  t3 = i64x2.add(t3, h);
  h = high(a0, b3);
  t3 = i64x2.add(t3, low(a0, b3, h));
  t4 = i64x2.add(t4, h);
  h = high(a0, b4);
  t4 = i64x2.add(t4, low(a0, b4, h));
  t5 = i64x2.add(t5, h);
  const m0 = quotient(t0);
  h = high(m0, p0);
  t0 = i64x2.add(t0, low(m0, p0, h));
  t1 = i64x2.add(t1, h);
  h = high(m0, p1);
  t1 = i64x2.add(t1, low(m0, p1, h));
  t2 = i64x2.add(t2, h);
  h = high(m0, p2);
  t2 = i64x2.add(t2, low(m0, p2, h));
  t3 = i64x2.add(t3, h);
  h = high(m0, p3);
  t3 = i64x2.add(t3, low(m0, p3, h));
  t4 = i64x2.add(t4, h);
  h = high(m0, p4);
  t4 = i64x2.add(t4, low(m0, p4, h));
  t5 = i64x2.add(t5, h);
  t1 = i64x2.add(t1, carried(t0));

  h = high(a1, b0);
  t1 = i64x2.add(t1, low(a1, b0, h));
  t2 = i64x2.add(t2, h);
  h = high(a1, b1);
  t2 = i64x2.add(t2, low(a1, b1, h));
  t3 = i64x2.add(t3, h);
  h = high(a1, b2);
  t3 = i64x2.add(t3, low(a1, b2, h));
  t4 = i64x2.add(t4, h);
  h = high(a1, b3);
  t4 = i64x2.add(t4, low(a1, b3, h));
  t5 = i64x2.add(t5, h);
  h = high(a1, b4);
  t5 = i64x2.add(t5, low(a1, b4, h));
  t6 = i64x2.add(t6, h);
  const m1 = quotient(t1);
  h = high(m1, p0);
  t1 = i64x2.add(t1, low(m1, p0, h));
  t2 = i64x2.add(t2, h);
  h = high(m1, p1);
  t2 = i64x2.add(t2, low(m1, p1, h));
  t3 = i64x2.add(t3, h);
  h = high(m1, p2);
  t3 = i64x2.add(t3, low(m1, p2, h));
  t4 = i64x2.add(t4, h);
  h = high(m1, p3);
  t4 = i64x2.add(t4, low(m1, p3, h));
  t5 = i64x2.add(t5, h);
  h = high(m1, p4);
  t5 = i64x2.add(t5, low(m1, p4, h));
  t6 = i64x2.add(t6, h);
  t2 = i64x2.add(t2, carried(t1));

  h = high(a2, b0);
  t2 = i64x2.add(t2, low(a2, b0, h));
  t3 = i64x2.add(t3, h);
  h = high(a2, b1);
  t3 = i64x2.add(t3, low(a2, b1, h));
  t4 = i64x2.add(t4, h);
  h = high(a2, b2);
  t4 = i64x2.add(t4, low(a2, b2, h));
  t5 = i64x2.add(t5, h);
  h = high(a2, b3);
  t5 = i64x2.add(t5, low(a2, b3, h));
  t6 = i64x2.add(t6, h);
  h = high(a2, b4);
  t6 = i64x2.add(t6, low(a2, b4, h));
  t7 = i64x2.add(t7, h);
  const m2 = quotient(t2);
  h = high(m2, p0);
  t2 = i64x2.add(t2, low(m2, p0, h));
  t3 = i64x2.add(t3, h);
  h = high(m2, p1);
  t3 = i64x2.add(t3, low(m2, p1, h));
  t4 = i64x2.add(t4, h);
  h = high(m2, p2);
  t4 = i64x2.add(t4, low(m2, p2, h));
  t5 = i64x2.add(t5, h);
  h = high(m2, p3);
  t5 = i64x2.add(t5, low(m2, p3, h));
  t6 = i64x2.add(t6, h);
  h = high(m2, p4);
  t6 = i64x2.add(t6, low(m2, p4, h));
  t7 = i64x2.add(t7, h);
  t3 = i64x2.add(t3, carried(t2));

  h = high(a3, b0);
  t3 = i64x2.add(t3, low(a3, b0, h));
  t4 = i64x2.add(t4, h);
  h = high(a3, b1);
  t4 = i64x2.add(t4, low(a3, b1, h));
  t5 = i64x2.add(t5, h);
  h = high(a3, b2);
  t5 = i64x2.add(t5, low(a3, b2, h));
  t6 = i64x2.add(t6, h);
  h = high(a3, b3);
  t6 = i64x2.add(t6, low(a3, b3, h));
  t7 = i64x2.add(t7, h);
  h = high(a3, b4);
  t7 = i64x2.add(t7, low(a3, b4, h));
  t8 = i64x2.add(t8, h);
  const m3 = quotient(t3);
  h = high(m3, p0);
  t3 = i64x2.add(t3, low(m3, p0, h));
  t4 = i64x2.add(t4, h);
  h = high(m3, p1);
  t4 = i64x2.add(t4, low(m3, p1, h));
  t5 = i64x2.add(t5, h);
  h = high(m3, p2);
  t5 = i64x2.add(t5, low(m3, p2, h));
  t6 = i64x2.add(t6, h);
  h = high(m3, p3);
  t6 = i64x2.add(t6, low(m3, p3, h));
  t7 = i64x2.add(t7, h);
  h = high(m3, p4);
  t7 = i64x2.add(t7, low(m3, p4, h));
  t8 = i64x2.add(t8, h);
  t4 = i64x2.add(t4, carried(t3));

  h = high(a4, b0);
  t4 = i64x2.add(t4, low(a4, b0, h));
  t5 = i64x2.add(t5, h);
  h = high(a4, b1);
  t5 = i64x2.add(t5, low(a4, b1, h));
  t6 = i64x2.add(t6, h);
  h = high(a4, b2);
  t6 = i64x2.add(t6, low(a4, b2, h));
  t7 = i64x2.add(t7, h);
  h = high(a4, b3);
  t7 = i64x2.add(t7, low(a4, b3, h));
  t8 = i64x2.add(t8, h);
  h = high(a4, b4);
  t8 = i64x2.add(t8, low(a4, b4, h));
  t9 = i64x2.add(t9, h);
  const m4 = quotient(t4);
  h = high(m4, p0);
  t4 = i64x2.add(t4, low(m4, p0, h));
  t5 = i64x2.add(t5, h);
  h = high(m4, p1);
  t5 = i64x2.add(t5, low(m4, p1, h));
  t6 = i64x2.add(t6, h);
  h = high(m4, p2);
  t6 = i64x2.add(t6, low(m4, p2, h));
  t7 = i64x2.add(t7, h);
  h = high(m4, p3);
  t7 = i64x2.add(t7, low(m4, p3, h));
  t8 = i64x2.add(t8, h);
  h = high(m4, p4);
  t8 = i64x2.add(t8, low(m4, p4, h));
  t9 = i64x2.add(t9, h);
  t5 = i64x2.add(t5, carried(t4));

  if (adds) t5 = i64x2.add(t5, asInteger(addend, 0));
  v128.store(out, digit(t5));
  t6 = i64x2.add(t6, carried(t5));
  if (adds) t6 = i64x2.add(t6, asInteger(addend, 1));
  v128.store(out, digit(t6), 16);
  t7 = i64x2.add(t7, carried(t6));
  if (adds) t7 = i64x2.add(t7, asInteger(addend, 2));
  v128.store(out, digit(t7), 32);
  t8 = i64x2.add(t8, carried(t7));
  if (adds) t8 = i64x2.add(t8, asInteger(addend, 3));
  v128.store(out, digit(t8), 48);
  t9 = i64x2.add(t9, carried(t8));
  if (adds) t9 = i64x2.add(t9, asInteger(addend, 4));
  v128.store(out, f64x2.sub(t9, f64x2.splat(LOW_ONE)), 64);
}

/**
 * out = a * b / R in both lanes.
 *
 *   out 80 | a 80 | b 80       out may be a or b
 *
 * With |a| < A p and |b| < B p the result is below (A B / 2.6 + 0.5) p in size. A and B are below 2.6 each.
 */
export function mulLanes(out: usize, a: usize, b: usize): void {
  product(out, a, b, 0, false);
}

/**
 * out = a * b / R + addend in both lanes; bounds of `mulLanes` plus the addend.
 *
 *   out 80 | a 80 | b 80 | addend 80       out may be a or b
 */
export function mulAddLanes(out: usize, a: usize, b: usize, addend: usize): void {
  product(out, a, b, addend, true);
}
