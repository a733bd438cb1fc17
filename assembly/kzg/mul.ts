/*
 * out = a * b / R. Columns of a * b + q * p, the quotient limb q of each low column chosen so that the column vanishes
 * below 2^28; the high columns are the result. A column sums 28 products below 2^58 and a carry, so limbs of the
 * factors may be below 2^29. For values below x p and y p the result is below (x y / 2519 + 1) p. `out` may be a
 * factor. scripts/unrolled/scalar-limbs.ts writes the columns out.
 */
export { product as mul } from "../unrolled/kzg";
