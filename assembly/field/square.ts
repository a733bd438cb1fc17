import { LIMB_BITS, MASK, P1, P2, P3, P4, P5, P6, P7, P8 } from "./modulus";
import { carry, quotient } from "./montgomery-step";

/**
 * out = a * a / R, loose limbs in, tight limbs out. Columns as in mul.ts, mixed products counted twice.
 *
 *   out 72 | a 72       out may be a
 */
export function square(out: usize, a: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const a4 = load<u64>(a, 32);
  const a5 = load<u64>(a, 40);
  const a6 = load<u64>(a, 48);
  const a7 = load<u64>(a, 56);
  const a8 = load<u64>(a, 64);
  const d0 = a0 << 1;
  const d1 = a1 << 1;
  const d2 = a2 << 1;
  const d3 = a3 << 1;
  const d4 = a4 << 1;
  const d5 = a5 << 1;
  const d6 = a6 << 1;
  const d7 = a7 << 1;

  let c: u64 = a0 * a0;
  const q0 = quotient(c);
  c = carry(c, q0);
  c += d0 * a1;
  c += q0 * P1;
  const q1 = quotient(c);
  c = carry(c, q1);
  c += d0 * a2 + a1 * a1;
  c += q0 * P2 + q1 * P1;
  const q2 = quotient(c);
  c = carry(c, q2);
  c += d0 * a3 + d1 * a2;
  c += q0 * P3 + q1 * P2 + q2 * P1;
  const q3 = quotient(c);
  c = carry(c, q3);
  c += d0 * a4 + d1 * a3 + a2 * a2;
  c += q0 * P4 + q1 * P3 + q2 * P2 + q3 * P1;
  const q4 = quotient(c);
  c = carry(c, q4);
  c += d0 * a5 + d1 * a4 + d2 * a3;
  c += q0 * P5 + q1 * P4 + q2 * P3 + q3 * P2 + q4 * P1;
  const q5 = quotient(c);
  c = carry(c, q5);
  c += d0 * a6 + d1 * a5 + d2 * a4 + a3 * a3;
  c += q0 * P6 + q1 * P5 + q2 * P4 + q3 * P3 + q4 * P2 + q5 * P1;
  const q6 = quotient(c);
  c = carry(c, q6);
  c += d0 * a7 + d1 * a6 + d2 * a5 + d3 * a4;
  c += q0 * P7 + q1 * P6 + q2 * P5 + q3 * P4 + q4 * P3 + q5 * P2 + q6 * P1;
  const q7 = quotient(c);
  c = carry(c, q7);
  c += d0 * a8 + d1 * a7 + d2 * a6 + d3 * a5 + a4 * a4;
  c += q0 * P8 + q1 * P7 + q2 * P6 + q3 * P5 + q4 * P4 + q5 * P3 + q6 * P2 + q7 * P1;
  const q8 = quotient(c);
  c = carry(c, q8);
  c += d1 * a8 + d2 * a7 + d3 * a6 + d4 * a5;
  c += q1 * P8 + q2 * P7 + q3 * P6 + q4 * P5 + q5 * P4 + q6 * P3 + q7 * P2 + q8 * P1;
  store<u64>(out, c & MASK);
  c >>= LIMB_BITS;
  c += d2 * a8 + d3 * a7 + d4 * a6 + a5 * a5;
  c += q2 * P8 + q3 * P7 + q4 * P6 + q5 * P5 + q6 * P4 + q7 * P3 + q8 * P2;
  store<u64>(out, c & MASK, 8);
  c >>= LIMB_BITS;
  c += d3 * a8 + d4 * a7 + d5 * a6;
  c += q3 * P8 + q4 * P7 + q5 * P6 + q6 * P5 + q7 * P4 + q8 * P3;
  store<u64>(out, c & MASK, 16);
  c >>= LIMB_BITS;
  c += d4 * a8 + d5 * a7 + a6 * a6;
  c += q4 * P8 + q5 * P7 + q6 * P6 + q7 * P5 + q8 * P4;
  store<u64>(out, c & MASK, 24);
  c >>= LIMB_BITS;
  c += d5 * a8 + d6 * a7;
  c += q5 * P8 + q6 * P7 + q7 * P6 + q8 * P5;
  store<u64>(out, c & MASK, 32);
  c >>= LIMB_BITS;
  c += d6 * a8 + a7 * a7;
  c += q6 * P8 + q7 * P7 + q8 * P6;
  store<u64>(out, c & MASK, 40);
  c >>= LIMB_BITS;
  c += d7 * a8;
  c += q7 * P8 + q8 * P7;
  store<u64>(out, c & MASK, 48);
  c >>= LIMB_BITS;
  c += a8 * a8;
  c += q8 * P8;
  store<u64>(out, c & MASK, 56);
  c >>= LIMB_BITS;
  store<u64>(out, c, 64);
}
