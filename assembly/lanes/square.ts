import {
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
 * out = a * a / R in both lanes; columns and bounds as in mul.ts, mixed products from doubled digits, so that digits must be
 * balanced: a sum that was not carried is not allowed here.
 *
 *   out 80 | a 80       out may be a
 */
export function squareLanes(out: usize, a: usize): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const a2 = v128.load(a, 32);
  const a3 = v128.load(a, 48);
  const a4 = v128.load(a, 64);
  const d0 = f64x2.add(a0, a0);
  const d1 = f64x2.add(a1, a1);
  const d2 = f64x2.add(a2, a2);
  const d3 = f64x2.add(a3, a3);
  const p0 = v128.load(MODULUS);
  const p1 = v128.load(MODULUS, 16);
  const p2 = v128.load(MODULUS, 32);
  const p3 = v128.load(MODULUS, 48);
  const p4 = v128.load(MODULUS, 64);
  let t0 = i64x2.splat(start(2, 0) + CARRY_BIAS);
  let t1 = i64x2.splat(start(3, 2) + CARRY_BIAS - CARRIED_BIAS);
  let t2 = i64x2.splat(start(5, 3) + CARRY_BIAS - CARRIED_BIAS);
  let t3 = i64x2.splat(start(6, 5) + CARRY_BIAS - CARRIED_BIAS);
  let t4 = i64x2.splat(start(8, 6) + CARRY_BIAS - CARRIED_BIAS);
  let t5 = i64x2.splat(start(6, 8) + CARRY_BIAS - CARRIED_BIAS + HALF);
  let t6 = i64x2.splat(start(5, 6) + CARRY_BIAS - CARRIED_BIAS + HALF);
  let t7 = i64x2.splat(start(3, 5) + CARRY_BIAS - CARRIED_BIAS + HALF);
  let t8 = i64x2.splat(start(2, 3) + CARRY_BIAS - CARRIED_BIAS + HALF);
  let t9 = i64x2.splat(start(0, 2) - CARRIED_BIAS + LOW_BITS);
  let h: v128;

  h = high(a0, a0);
  t0 = i64x2.add(t0, low(a0, a0, h));
  t1 = i64x2.add(t1, h);
  h = high(d0, a1);
  t1 = i64x2.add(t1, low(d0, a1, h));
  t2 = i64x2.add(t2, h);
  h = high(d0, a2);
  t2 = i64x2.add(t2, low(d0, a2, h));
  t3 = i64x2.add(t3, h);
  h = high(d0, a3);
  t3 = i64x2.add(t3, low(d0, a3, h));
  t4 = i64x2.add(t4, h);
  h = high(d0, a4);
  t4 = i64x2.add(t4, low(d0, a4, h));
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

  h = high(a1, a1);
  t2 = i64x2.add(t2, low(a1, a1, h));
  t3 = i64x2.add(t3, h);
  h = high(d1, a2);
  t3 = i64x2.add(t3, low(d1, a2, h));
  t4 = i64x2.add(t4, h);
  h = high(d1, a3);
  t4 = i64x2.add(t4, low(d1, a3, h));
  t5 = i64x2.add(t5, h);
  h = high(d1, a4);
  t5 = i64x2.add(t5, low(d1, a4, h));
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

  h = high(a2, a2);
  t4 = i64x2.add(t4, low(a2, a2, h));
  t5 = i64x2.add(t5, h);
  h = high(d2, a3);
  t5 = i64x2.add(t5, low(d2, a3, h));
  t6 = i64x2.add(t6, h);
  h = high(d2, a4);
  t6 = i64x2.add(t6, low(d2, a4, h));
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

  h = high(a3, a3);
  t6 = i64x2.add(t6, low(a3, a3, h));
  t7 = i64x2.add(t7, h);
  h = high(d3, a4);
  t7 = i64x2.add(t7, low(d3, a4, h));
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

  h = high(a4, a4);
  t8 = i64x2.add(t8, low(a4, a4, h));
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

  v128.store(out, digit(t5));
  t6 = i64x2.add(t6, carried(t5));
  v128.store(out, digit(t6), 16);
  t7 = i64x2.add(t7, carried(t6));
  v128.store(out, digit(t7), 32);
  t8 = i64x2.add(t8, carried(t7));
  v128.store(out, digit(t8), 48);
  t9 = i64x2.add(t9, carried(t8));
  v128.store(out, f64x2.sub(t9, f64x2.splat(LOW_ONE)), 64);
}
