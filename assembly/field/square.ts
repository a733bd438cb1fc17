import { squareProduct } from "../unrolled/field";

/**
 * out = a * a / R, loose limbs in, tight limbs out. Columns as in mul.ts, mixed products counted twice.
 *
 *   out 72 | a 72       out may be a
 */
export function square(out: usize, a: usize): void {
  squareProduct(out, a);
}
