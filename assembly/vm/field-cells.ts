import { MASK } from "../field/modulus";
import { limbsToElement } from "../field/montgomery-form";
import { mul } from "../field/mul";
import { reduce } from "../field/reduce";
import { invertCell } from "./inverse";

/** p in u64 limbs. */
const P0: u64 = 0x43e1f593f0000001;
const P1: u64 = 0x2833e84879b97091;
const P2: u64 = 0xb85045b68181585d;
const P3: u64 = 0x30644e72e131a029;

const A = memory.data(72, 8);
const B = memory.data(72, 8);
const QUOTIENT = memory.data(32, 32);

/**
 * Splits a field cell, or any 256-bit value, into tight limbs.
 *
 *   cell 32 -> out 72
 */
export function cellToLimbs(out: usize, cell: usize): void {
  const w0 = load<u64>(cell);
  const w1 = load<u64>(cell, 8);
  const w2 = load<u64>(cell, 16);
  const w3 = load<u64>(cell, 24);
  store<u64>(out, w0 & MASK);
  store<u64>(out, (w0 >> 29) & MASK, 8);
  store<u64>(out, ((w0 >> 58) | (w1 << 6)) & MASK, 16);
  store<u64>(out, (w1 >> 23) & MASK, 24);
  store<u64>(out, ((w1 >> 52) | (w2 << 12)) & MASK, 32);
  store<u64>(out, (w2 >> 17) & MASK, 40);
  store<u64>(out, ((w2 >> 46) | (w3 << 18)) & MASK, 48);
  store<u64>(out, (w3 >> 11) & MASK, 56);
  store<u64>(out, w3 >> 40, 64);
}

/**
 * Joins tight limbs of a value below 2 p and reduces it mod p.
 *
 *   limbs 72 -> cell 32
 */
export function limbsToCell(cell: usize, limbs: usize): void {
  const l2 = load<u64>(limbs, 16);
  const l4 = load<u64>(limbs, 32);
  const l6 = load<u64>(limbs, 48);
  storeReduced(
    cell,
    load<u64>(limbs) | (load<u64>(limbs, 8) << 29) | (l2 << 58),
    (l2 >> 6) | (load<u64>(limbs, 24) << 23) | (l4 << 52),
    (l4 >> 12) | (load<u64>(limbs, 40) << 17) | (l6 << 46),
    (l6 >> 18) | (load<u64>(limbs, 56) << 11) | (load<u64>(limbs, 64) << 40),
  );
}

/** Stores a value below 2 p, less p when it is p or more. */
@inline
function storeReduced(cell: usize, s0: u64, s1: u64, s2: u64, s3: u64): void {
  const t0 = s0 - P0;
  let borrow = u64(s0 < P0);
  const d1 = s1 - P1;
  const t1 = d1 - borrow;
  borrow = u64(s1 < P1) | u64(d1 < borrow);
  const d2 = s2 - P2;
  const t2 = d2 - borrow;
  borrow = u64(s2 < P2) | u64(d2 < borrow);
  const d3 = s3 - P3;
  const t3 = d3 - borrow;
  borrow = u64(s3 < P3) | u64(d3 < borrow);
  const keep = borrow != 0;
  store<u64>(cell, keep ? s0 : t0);
  store<u64>(cell, keep ? s1 : t1, 8);
  store<u64>(cell, keep ? s2 : t2, 16);
  store<u64>(cell, keep ? s3 : t3, 24);
}

/** out = a + b of field cells. Here and below `out` may be an operand. */
export function addFields(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const s0 = a0 + load<u64>(b);
  let carry = u64(s0 < a0);
  const d1 = a1 + load<u64>(b, 8);
  const s1 = d1 + carry;
  carry = u64(d1 < a1) | u64(s1 < carry);
  const d2 = a2 + load<u64>(b, 16);
  const s2 = d2 + carry;
  carry = u64(d2 < a2) | u64(s2 < carry);
  storeReduced(out, s0, s1, s2, load<u64>(a, 24) + load<u64>(b, 24) + carry);
}

/** out = a - b. */
export function subtractFields(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const a2 = load<u64>(a, 16);
  const a3 = load<u64>(a, 24);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  const b2 = load<u64>(b, 16);
  const b3 = load<u64>(b, 24);
  const s0 = a0 - b0;
  let borrow = u64(a0 < b0);
  const d1 = a1 - b1;
  const s1 = d1 - borrow;
  borrow = u64(a1 < b1) | u64(d1 < borrow);
  const d2 = a2 - b2;
  const s2 = d2 - borrow;
  borrow = u64(a2 < b2) | u64(d2 < borrow);
  const d3 = a3 - b3;
  const s3 = d3 - borrow;
  const mask: u64 = a3 < b3 || d3 < borrow ? 0xffffffffffffffff : 0;
  // If negative, add p; the carry out of the top is discarded.
  const r0 = s0 + (P0 & mask);
  let carry = u64(r0 < s0);
  const e1 = s1 + (P1 & mask);
  const r1 = e1 + carry;
  carry = u64(e1 < s1) | u64(r1 < carry);
  const e2 = s2 + (P2 & mask);
  const r2 = e2 + carry;
  carry = u64(e2 < s2) | u64(r2 < carry);
  store<u64>(out, r0);
  store<u64>(out, r1, 8);
  store<u64>(out, r2, 16);
  store<u64>(out, s3 + (P3 & mask) + carry, 24);
}

/** out = a b. */
export function multiplyFields(out: usize, a: usize, b: usize): void {
  cellToLimbs(A, a);
  cellToLimbs(B, b);
  mul(A, A, B);
  limbsToElement(A, A);
  limbsToCell(out, A);
}

@inline
export function isZeroCell(cell: usize): bool {
  return (load<u64>(cell) | load<u64>(cell, 8) | load<u64>(cell, 16) | load<u64>(cell, 24)) == 0;
}

/** out = a / b; b is not zero. */
export function divideFields(out: usize, a: usize, b: usize): void {
  invertCell(QUOTIENT, b);
  multiplyFields(out, a, QUOTIENT);
}

/** Reduces any 256-bit value mod p, in place. */
export function reduceCell(cell: usize): void {
  cellToLimbs(A, cell);
  reduce(A, A);
  limbsToCell(cell, A);
}

/** Whether a < b as integers of 256 bits. */
export function isLess(a: usize, b: usize): bool {
  for (let i: usize = 24; i != 0; i -= 8) {
    const x = load<u64>(a + i);
    const y = load<u64>(b + i);
    if (x != y) return x < y;
  }
  return load<u64>(a) < load<u64>(b);
}
