import { LIMB_BITS, MASK, P1, P2, P3, P4, P5, P6, P7, P8 } from "./modulus";
import { carry, quotient } from "./montgomery-step";

/**
 * Columns of a * b + q * p, the quotient limb q of each low column chosen so that the column vanishes below 2^29; the
 * high columns are the result. A column sums at most 18 products below 2^60 or 2^58 and a carry, so it stays below
 * 2^64.
 */
@inline
function product(out: usize, a: usize, b: usize, addend: usize, adds: bool): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const a4 = load<u64>(a, 32);
  const a5 = load<u64>(a, 40);
  const a6 = load<u64>(a, 48);
  const a7 = load<u64>(a, 56);
  const a8 = load<u64>(a, 64);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const b4 = load<u64>(b, 32);
  const b5 = load<u64>(b, 40);
  const b6 = load<u64>(b, 48);
  const b7 = load<u64>(b, 56);
  const b8 = load<u64>(b, 64);

  let c: u64 = a0 * b0;
  const q0 = quotient(c);
  c = carry(c, q0);
  c += a0 * b1 + a1 * b0;
  c += q0 * P1;
  const q1 = quotient(c);
  c = carry(c, q1);
  c += a0 * b2 + a1 * b1 + a2 * b0;
  c += q0 * P2 + q1 * P1;
  const q2 = quotient(c);
  c = carry(c, q2);
  c += a0 * b3 + a1 * b2 + a2 * b1 + a3 * b0;
  c += q0 * P3 + q1 * P2 + q2 * P1;
  const q3 = quotient(c);
  c = carry(c, q3);
  c += a0 * b4 + a1 * b3 + a2 * b2 + a3 * b1 + a4 * b0;
  c += q0 * P4 + q1 * P3 + q2 * P2 + q3 * P1;
  const q4 = quotient(c);
  c = carry(c, q4);
  c += a0 * b5 + a1 * b4 + a2 * b3 + a3 * b2 + a4 * b1 + a5 * b0;
  c += q0 * P5 + q1 * P4 + q2 * P3 + q3 * P2 + q4 * P1;
  const q5 = quotient(c);
  c = carry(c, q5);
  c += a0 * b6 + a1 * b5 + a2 * b4 + a3 * b3 + a4 * b2 + a5 * b1 + a6 * b0;
  c += q0 * P6 + q1 * P5 + q2 * P4 + q3 * P3 + q4 * P2 + q5 * P1;
  const q6 = quotient(c);
  c = carry(c, q6);
  c += a0 * b7 + a1 * b6 + a2 * b5 + a3 * b4 + a4 * b3 + a5 * b2 + a6 * b1 + a7 * b0;
  c += q0 * P7 + q1 * P6 + q2 * P5 + q3 * P4 + q4 * P3 + q5 * P2 + q6 * P1;
  const q7 = quotient(c);
  c = carry(c, q7);
  c += a0 * b8 + a1 * b7 + a2 * b6 + a3 * b5 + a4 * b4 + a5 * b3 + a6 * b2 + a7 * b1 + a8 * b0;
  c += q0 * P8 + q1 * P7 + q2 * P6 + q3 * P5 + q4 * P4 + q5 * P3 + q6 * P2 + q7 * P1;
  const q8 = quotient(c);
  c = carry(c, q8);
  c += a1 * b8 + a2 * b7 + a3 * b6 + a4 * b5 + a5 * b4 + a6 * b3 + a7 * b2 + a8 * b1;
  c += q1 * P8 + q2 * P7 + q3 * P6 + q4 * P5 + q5 * P4 + q6 * P3 + q7 * P2 + q8 * P1;
  if (adds) c += load<u64>(addend);
  store<u64>(out, c & MASK);
  c >>= LIMB_BITS;
  c += a2 * b8 + a3 * b7 + a4 * b6 + a5 * b5 + a6 * b4 + a7 * b3 + a8 * b2;
  c += q2 * P8 + q3 * P7 + q4 * P6 + q5 * P5 + q6 * P4 + q7 * P3 + q8 * P2;
  if (adds) c += load<u64>(addend, 8);
  store<u64>(out, c & MASK, 8);
  c >>= LIMB_BITS;
  c += a3 * b8 + a4 * b7 + a5 * b6 + a6 * b5 + a7 * b4 + a8 * b3;
  c += q3 * P8 + q4 * P7 + q5 * P6 + q6 * P5 + q7 * P4 + q8 * P3;
  if (adds) c += load<u64>(addend, 16);
  store<u64>(out, c & MASK, 16);
  c >>= LIMB_BITS;
  c += a4 * b8 + a5 * b7 + a6 * b6 + a7 * b5 + a8 * b4;
  c += q4 * P8 + q5 * P7 + q6 * P6 + q7 * P5 + q8 * P4;
  if (adds) c += load<u64>(addend, 24);
  store<u64>(out, c & MASK, 24);
  c >>= LIMB_BITS;
  c += a5 * b8 + a6 * b7 + a7 * b6 + a8 * b5;
  c += q5 * P8 + q6 * P7 + q7 * P6 + q8 * P5;
  if (adds) c += load<u64>(addend, 32);
  store<u64>(out, c & MASK, 32);
  c >>= LIMB_BITS;
  c += a6 * b8 + a7 * b7 + a8 * b6;
  c += q6 * P8 + q7 * P7 + q8 * P6;
  if (adds) c += load<u64>(addend, 40);
  store<u64>(out, c & MASK, 40);
  c >>= LIMB_BITS;
  c += a7 * b8 + a8 * b7;
  c += q7 * P8 + q8 * P7;
  if (adds) c += load<u64>(addend, 48);
  store<u64>(out, c & MASK, 48);
  c >>= LIMB_BITS;
  c += a8 * b8;
  c += q8 * P8;
  if (adds) c += load<u64>(addend, 56);
  store<u64>(out, c & MASK, 56);
  c >>= LIMB_BITS;
  if (adds) c += load<u64>(addend, 64);
  store<u64>(out, c, 64);
}

/**
 * out = a * b / R, loose limbs in, tight limbs out.
 *
 *   out 72 | a 72 | b 72       out may be a or b
 *
 * With a < A p and b < B p the result is below (A B / 169 + 1) p.
 */
export function mul(out: usize, a: usize, b: usize): void {
  product(out, a, b, 0, false);
}

/**
 * out = a * b / R + addend, limbs of the addend below 2^62; bounds of `mul` plus the addend.
 *
 *   out 72 | a 72 | b 72 | addend 72       out may be a or b
 */
export function mulAdd(out: usize, a: usize, b: usize, addend: usize): void {
  product(out, a, b, addend, true);
}
