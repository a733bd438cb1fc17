import { LIMB_BITS, MASK, P1, P2, P3, P4, P5, P6, P7, P8 } from "../../field/modulus";
import { add, packed, times } from "./arithmetic";

/** Seventeen columns of a product. */
export const COLUMNS = memory.data(272, 16);

/** -c / p mod 2^29 (field/montgomery-step.ts). */
@inline
function quotient(c: v128): v128 {
  return v128.and(i64x2.sub(i64x2.shl(c, 28), c), i64x2.splat(MASK));
}

@inline
function carry(c: v128, q: v128): v128 {
  return i64x2.shr_u(add(add(c, q), i64x2.shl(q, 28)), <i32>LIMB_BITS);
}

/** Montgomery reduction of the columns as in field/mul.ts, plus an addend. */
@inline
function reduced(out: usize, addend: usize, adds: bool): void {
  const p1 = i32x4.splat(<i32>P1);
  const p2 = i32x4.splat(<i32>P2);
  const p3 = i32x4.splat(<i32>P3);
  const p4 = i32x4.splat(<i32>P4);
  const p5 = i32x4.splat(<i32>P5);
  const p6 = i32x4.splat(<i32>P6);
  const p7 = i32x4.splat(<i32>P7);
  const p8 = i32x4.splat(<i32>P8);
  let c = v128.load(COLUMNS);
  const r0 = quotient(c);
  const q0 = packed(r0);
  c = carry(c, r0);
  c = add(c, v128.load(COLUMNS, 16));
  c = add(c, times(q0, p1));
  const r1 = quotient(c);
  const q1 = packed(r1);
  c = carry(c, r1);
  c = add(c, v128.load(COLUMNS, 32));
  c = add(c, times(q0, p2));
  c = add(c, times(q1, p1));
  const r2 = quotient(c);
  const q2 = packed(r2);
  c = carry(c, r2);
  c = add(c, v128.load(COLUMNS, 48));
  c = add(c, times(q0, p3));
  c = add(c, times(q1, p2));
  c = add(c, times(q2, p1));
  const r3 = quotient(c);
  const q3 = packed(r3);
  c = carry(c, r3);
  c = add(c, v128.load(COLUMNS, 64));
  c = add(c, times(q0, p4));
  c = add(c, times(q1, p3));
  c = add(c, times(q2, p2));
  c = add(c, times(q3, p1));
  const r4 = quotient(c);
  const q4 = packed(r4);
  c = carry(c, r4);
  c = add(c, v128.load(COLUMNS, 80));
  c = add(c, times(q0, p5));
  c = add(c, times(q1, p4));
  c = add(c, times(q2, p3));
  c = add(c, times(q3, p2));
  c = add(c, times(q4, p1));
  const r5 = quotient(c);
  const q5 = packed(r5);
  c = carry(c, r5);
  c = add(c, v128.load(COLUMNS, 96));
  c = add(c, times(q0, p6));
  c = add(c, times(q1, p5));
  c = add(c, times(q2, p4));
  c = add(c, times(q3, p3));
  c = add(c, times(q4, p2));
  c = add(c, times(q5, p1));
  const r6 = quotient(c);
  const q6 = packed(r6);
  c = carry(c, r6);
  c = add(c, v128.load(COLUMNS, 112));
  c = add(c, times(q0, p7));
  c = add(c, times(q1, p6));
  c = add(c, times(q2, p5));
  c = add(c, times(q3, p4));
  c = add(c, times(q4, p3));
  c = add(c, times(q5, p2));
  c = add(c, times(q6, p1));
  const r7 = quotient(c);
  const q7 = packed(r7);
  c = carry(c, r7);
  c = add(c, v128.load(COLUMNS, 128));
  c = add(c, times(q0, p8));
  c = add(c, times(q1, p7));
  c = add(c, times(q2, p6));
  c = add(c, times(q3, p5));
  c = add(c, times(q4, p4));
  c = add(c, times(q5, p3));
  c = add(c, times(q6, p2));
  c = add(c, times(q7, p1));
  const r8 = quotient(c);
  const q8 = packed(r8);
  c = carry(c, r8);
  c = add(c, v128.load(COLUMNS, 144));
  c = add(c, times(q1, p8));
  c = add(c, times(q2, p7));
  c = add(c, times(q3, p6));
  c = add(c, times(q4, p5));
  c = add(c, times(q5, p4));
  c = add(c, times(q6, p3));
  c = add(c, times(q7, p2));
  c = add(c, times(q8, p1));
  if (adds) c = add(c, v128.load(addend));
  v128.store(out, v128.and(c, i64x2.splat(MASK)));
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 160));
  c = add(c, times(q2, p8));
  c = add(c, times(q3, p7));
  c = add(c, times(q4, p6));
  c = add(c, times(q5, p5));
  c = add(c, times(q6, p4));
  c = add(c, times(q7, p3));
  c = add(c, times(q8, p2));
  if (adds) c = add(c, v128.load(addend, 16));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 16);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 176));
  c = add(c, times(q3, p8));
  c = add(c, times(q4, p7));
  c = add(c, times(q5, p6));
  c = add(c, times(q6, p5));
  c = add(c, times(q7, p4));
  c = add(c, times(q8, p3));
  if (adds) c = add(c, v128.load(addend, 32));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 32);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 192));
  c = add(c, times(q4, p8));
  c = add(c, times(q5, p7));
  c = add(c, times(q6, p6));
  c = add(c, times(q7, p5));
  c = add(c, times(q8, p4));
  if (adds) c = add(c, v128.load(addend, 48));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 48);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 208));
  c = add(c, times(q5, p8));
  c = add(c, times(q6, p7));
  c = add(c, times(q7, p6));
  c = add(c, times(q8, p5));
  if (adds) c = add(c, v128.load(addend, 64));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 64);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 224));
  c = add(c, times(q6, p8));
  c = add(c, times(q7, p7));
  c = add(c, times(q8, p6));
  if (adds) c = add(c, v128.load(addend, 80));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 80);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 240));
  c = add(c, times(q7, p8));
  c = add(c, times(q8, p7));
  if (adds) c = add(c, v128.load(addend, 96));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 96);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  c = add(c, v128.load(COLUMNS, 256));
  c = add(c, times(q8, p8));
  if (adds) c = add(c, v128.load(addend, 112));
  v128.store(out, v128.and(c, i64x2.splat(MASK)), 112);
  c = i64x2.shr_u(c, <i32>LIMB_BITS);
  if (adds) c = add(c, v128.load(addend, 128));
  v128.store(out, c, 128);
}

/** COLUMNS / R. */
export function reduceColumns(out: usize): void {
  reduced(out, 0, false);
}

/** COLUMNS / R + addend. */
export function reduceColumnsOnto(out: usize, addend: usize): void {
  reduced(out, addend, true);
}
