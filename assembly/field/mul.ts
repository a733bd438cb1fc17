import { product } from "../unrolled/field";

/*
 * Columns of a * b + q * p, the quotient limb q of each low column chosen so that the column vanishes below 2^29; the
 * high columns are the result. A column sums at most 18 products below 2^60 or 2^58 and a carry, so it stays below
 * 2^64. scripts/unrolled/scalar-limbs.ts writes them out.
 */

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
