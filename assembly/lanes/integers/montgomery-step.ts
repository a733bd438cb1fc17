import { LIMB_BITS, MASK } from "../../field/modulus";
import { add } from "./arithmetic";

/** Seventeen columns of a product. */
export const COLUMNS = memory.data(272, 16);

/** -c / p mod 2^29 (field/montgomery-step.ts). */
@inline
export function quotient(c: v128): v128 {
  return v128.and(i64x2.sub(i64x2.shl(c, 28), c), i64x2.splat(MASK));
}

@inline
export function carry(c: v128, q: v128): v128 {
  return i64x2.shr_u(add(add(c, q), i64x2.shl(q, 28)), <i32>LIMB_BITS);
}
