import { LIMB_BITS, MASK, P0, P1, P2, P3, P4, P5, P6, P7, P8 } from "./modulus";

/**
 * 2^44 / (P8 + 1), rounded down. The quotient by p of a value below 512 p, estimated from its top limb: never too
 * large, and too small by at most 1/1000.
 */
export const RECIPROCAL: u64 = (1 << 44) / (P8 + 1);

/** How many times p fits into a value whose top limb, without lower carries, is `top`. */
@inline
export function multipleOfModulus(top: u64): u64 {
  return (top * RECIPROCAL) >> 44;
}

@inline
function step(out: usize, c: i64): i64 {
  store<u64>(out, <u64>c & MASK);
  return c >> <i64>LIMB_BITS;
}

/**
 * Value below 512 p with limbs below 2^40 to the same residue below 1.01 p, tight limbs. In place allowed.
 *
 *   out 72 | value 72
 */
export function reduce(out: usize, value: usize): void {
  const top = load<u64>(value, 64);
  const k = multipleOfModulus(top);
  let c = step(out, load<u64>(value) - k * P0);
  c = step(out + 8, c + load<u64>(value, 8) - k * P1);
  c = step(out + 16, c + load<u64>(value, 16) - k * P2);
  c = step(out + 24, c + load<u64>(value, 24) - k * P3);
  c = step(out + 32, c + load<u64>(value, 32) - k * P4);
  c = step(out + 40, c + load<u64>(value, 40) - k * P5);
  c = step(out + 48, c + load<u64>(value, 48) - k * P6);
  c = step(out + 56, c + load<u64>(value, 56) - k * P7);
  store<u64>(out, c + top - k * P8, 64);
}
