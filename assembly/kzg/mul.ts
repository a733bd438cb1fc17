import {
  LIMB_BITS,
  MASK,
  P0,
  P1,
  P2,
  P3,
  P4,
  P5,
  P6,
  P7,
  P8,
  P9,
  P10,
  P11,
  P12,
  P13,
  QUOTIENT,
} from "./modulus";

/**
 * out = a * b / R. Columns of a * b + q * p, the quotient limb q of each low column chosen so that the column vanishes
 * below 2^28; the high columns are the result. A column sums 28 products below 2^58 and a carry, so limbs of the
 * factors may be below 2^29. For values below x p and y p the result is below (x y / 2519 + 1) p. `out` may be a
 * factor.
 */
export function mul(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const a4 = load<u64>(a, 32);
  const a5 = load<u64>(a, 40);
  const a6 = load<u64>(a, 48);
  const a7 = load<u64>(a, 56);
  const a8 = load<u64>(a, 64);
  const a9 = load<u64>(a, 72);
  const a10 = load<u64>(a, 80);
  const a11 = load<u64>(a, 88);
  const a12 = load<u64>(a, 96);
  const a13 = load<u64>(a, 104);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const b4 = load<u64>(b, 32);
  const b5 = load<u64>(b, 40);
  const b6 = load<u64>(b, 48);
  const b7 = load<u64>(b, 56);
  const b8 = load<u64>(b, 64);
  const b9 = load<u64>(b, 72);
  const b10 = load<u64>(b, 80);
  const b11 = load<u64>(b, 88);
  const b12 = load<u64>(b, 96);
  const b13 = load<u64>(b, 104);

  let c: u64 = a0 * b0;
  const q0 = (c * QUOTIENT) & MASK;
  c = (c + q0 * P0) >> LIMB_BITS;
  c += a0 * b1 + a1 * b0;
  c += q0 * P1;
  const q1 = (c * QUOTIENT) & MASK;
  c = (c + q1 * P0) >> LIMB_BITS;
  c += a0 * b2 + a1 * b1 + a2 * b0;
  c += q0 * P2 + q1 * P1;
  const q2 = (c * QUOTIENT) & MASK;
  c = (c + q2 * P0) >> LIMB_BITS;
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  c += q0 * P3 + q1 * P2 + q2 * P1;
  const q3 = (c * QUOTIENT) & MASK;
  c = (c + q3 * P0) >> LIMB_BITS;
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  c += q0 * P4 + q1 * P3 + q2 * P2 + q3 * P1;
  const q4 = (c * QUOTIENT) & MASK;
  c = (c + q4 * P0) >> LIMB_BITS;
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  c += q0 * P5 + q1 * P4 + q2 * P3 + q3 * P2 + q4 * P1;
  const q5 = (c * QUOTIENT) & MASK;
  c = (c + q5 * P0) >> LIMB_BITS;
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  c += q0 * P6 + q1 * P5 + q2 * P4 + q3 * P3 + q4 * P2 + q5 * P1;
  const q6 = (c * QUOTIENT) & MASK;
  c = (c + q6 * P0) >> LIMB_BITS;
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  c += q0 * P7 + q1 * P6 + q2 * P5 + q3 * P4 + q4 * P3 + q5 * P2 + q6 * P1;
  const q7 = (c * QUOTIENT) & MASK;
  c = (c + q7 * P0) >> LIMB_BITS;
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  c += q0 * P8 + q1 * P7 + q2 * P6 + q3 * P5 + q4 * P4 + q5 * P3 + q6 * P2 + q7 * P1;
  const q8 = (c * QUOTIENT) & MASK;
  c = (c + q8 * P0) >> LIMB_BITS;
  c += a0 * b9 + a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1 + a9 * b0;
  c += q0 * P9 + q1 * P8 + q2 * P7 + q3 * P6 + q4 * P5 + q5 * P4 + q6 * P3 + q7 * P2 + q8 * P1;
  const q9 = (c * QUOTIENT) & MASK;
  c = (c + q9 * P0) >> LIMB_BITS;
  c += a0 * b10 + a1 * b9 + a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2 + a9 * b1 + a10 * b0;
  c += q0 * P10 + q1 * P9 + q2 * P8 + q3 * P7 + q4 * P6 + q5 * P5 + q6 * P4 + q7 * P3 + q8 * P2 + q9 * P1;
  const q10 = (c * QUOTIENT) & MASK;
  c = (c + q10 * P0) >> LIMB_BITS;
  c += a0 * b11 + a1 * b10 + a2 * b9 + a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3 + a9 * b2 + a10 * b1
    + a11 * b0;
  c += q0 * P11 + q1 * P10 + q2 * P9 + q3 * P8 + q4 * P7 + q5 * P6 + q6 * P5 + q7 * P4 + q8 * P3 + q9 * P2 + q10 * P1;
  const q11 = (c * QUOTIENT) & MASK;
  c = (c + q11 * P0) >> LIMB_BITS;
  c += a0 * b12 + a1 * b11 + a2 * b10 + a3 * b9 + a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4 + a9 * b3 + a10 * b2
    + a11 * b1 + a12 * b0;
  c += q0 * P12 + q1 * P11 + q2 * P10 + q3 * P9 + q4 * P8 + q5 * P7 + q6 * P6 + q7 * P5 + q8 * P4 + q9 * P3 + q10 * P2
    + q11 * P1;
  const q12 = (c * QUOTIENT) & MASK;
  c = (c + q12 * P0) >> LIMB_BITS;
  c += a0 * b13 + a1 * b12 + a2 * b11 + a3 * b10 + a4 * b9 + a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5 + a9 * b4
    + a10 * b3 + a11 * b2 + a12 * b1 + a13 * b0;
  c += q0 * P13 + q1 * P12 + q2 * P11 + q3 * P10 + q4 * P9 + q5 * P8 + q6 * P7 + q7 * P6 + q8 * P5 + q9 * P4
    + q10 * P3 + q11 * P2 + q12 * P1;
  const q13 = (c * QUOTIENT) & MASK;
  c = (c + q13 * P0) >> LIMB_BITS;
  c += a1 * b13 + a2 * b12 + a3 * b11 + a4 * b10 + a5 * b9 + a6 * b8 + a7 * b7 + a8 * b6 + a9 * b5 + a10 * b4
    + a11 * b3 + a12 * b2 + a13 * b1;
  c += q1 * P13 + q2 * P12 + q3 * P11 + q4 * P10 + q5 * P9 + q6 * P8 + q7 * P7 + q8 * P6 + q9 * P5 + q10 * P4
    + q11 * P3 + q12 * P2 + q13 * P1;
  store<u64>(out, c & MASK);
  c >>= LIMB_BITS;
  c += a2 * b13 + a3 * b12 + a4 * b11 + a5 * b10 + a6 * b9 + a7 * b8 + a8 * b7 + a9 * b6 + a10 * b5 + a11 * b4
    + a12 * b3 + a13 * b2;
  c += q2 * P13 + q3 * P12 + q4 * P11 + q5 * P10 + q6 * P9 + q7 * P8 + q8 * P7 + q9 * P6 + q10 * P5 + q11 * P4
    + q12 * P3 + q13 * P2;
  store<u64>(out, c & MASK, 8);
  c >>= LIMB_BITS;
  c += a3 * b13 + a4 * b12 + a5 * b11 + a6 * b10 + a7 * b9 + a8 * b8 + a9 * b7 + a10 * b6 + a11 * b5 + a12 * b4
    + a13 * b3;
  c += q3 * P13 + q4 * P12 + q5 * P11 + q6 * P10 + q7 * P9 + q8 * P8 + q9 * P7 + q10 * P6 + q11 * P5 + q12 * P4
    + q13 * P3;
  store<u64>(out, c & MASK, 16);
  c >>= LIMB_BITS;
  c += a4 * b13 + a5 * b12 + a6 * b11 + a7 * b10 + a8 * b9 + a9 * b8 + a10 * b7 + a11 * b6 + a12 * b5 + a13 * b4;
  c += q4 * P13 + q5 * P12 + q6 * P11 + q7 * P10 + q8 * P9 + q9 * P8 + q10 * P7 + q11 * P6 + q12 * P5 + q13 * P4;
  store<u64>(out, c & MASK, 24);
  c >>= LIMB_BITS;
  c += a5 * b13 + a6 * b12 + a7 * b11 + a8 * b10 + a9 * b9 + a10 * b8 + a11 * b7 + a12 * b6 + a13 * b5;
  c += q5 * P13 + q6 * P12 + q7 * P11 + q8 * P10 + q9 * P9 + q10 * P8 + q11 * P7 + q12 * P6 + q13 * P5;
  store<u64>(out, c & MASK, 32);
  c >>= LIMB_BITS;
  c += a6 * b13 + a7 * b12 + a8 * b11 + a9 * b10 + a10 * b9 + a11 * b8 + a12 * b7 + a13 * b6;
  c += q6 * P13 + q7 * P12 + q8 * P11 + q9 * P10 + q10 * P9 + q11 * P8 + q12 * P7 + q13 * P6;
  store<u64>(out, c & MASK, 40);
  c >>= LIMB_BITS;
  c += a7 * b13 + a8 * b12 + a9 * b11 + a10 * b10 + a11 * b9 + a12 * b8 + a13 * b7;
  c += q7 * P13 + q8 * P12 + q9 * P11 + q10 * P10 + q11 * P9 + q12 * P8 + q13 * P7;
  store<u64>(out, c & MASK, 48);
  c >>= LIMB_BITS;
  c += a8 * b13 + a9 * b12 + a10 * b11 + a11 * b10 + a12 * b9 + a13 * b8;
  c += q8 * P13 + q9 * P12 + q10 * P11 + q11 * P10 + q12 * P9 + q13 * P8;
  store<u64>(out, c & MASK, 56);
  c >>= LIMB_BITS;
  c += a9 * b13 + a10 * b12 + a11 * b11 + a12 * b10 + a13 * b9;
  c += q9 * P13 + q10 * P12 + q11 * P11 + q12 * P10 + q13 * P9;
  store<u64>(out, c & MASK, 64);
  c >>= LIMB_BITS;
  c += a10 * b13 + a11 * b12 + a12 * b11 + a13 * b10;
  c += q10 * P13 + q11 * P12 + q12 * P11 + q13 * P10;
  store<u64>(out, c & MASK, 72);
  c >>= LIMB_BITS;
  c += a11 * b13 + a12 * b12 + a13 * b11;
  c += q11 * P13 + q12 * P12 + q13 * P11;
  store<u64>(out, c & MASK, 80);
  c >>= LIMB_BITS;
  c += a12 * b13 + a13 * b12;
  c += q12 * P13 + q13 * P12;
  store<u64>(out, c & MASK, 88);
  c >>= LIMB_BITS;
  c += a13 * b13;
  c += q13 * P13;
  store<u64>(out, c & MASK, 96);
  c >>= LIMB_BITS;
  store<u64>(out, c, 104);
}
