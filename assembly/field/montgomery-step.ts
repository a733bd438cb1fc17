import { LIMB_BITS, MASK } from "./modulus";

/**
 * -c / p mod 2^29. The lowest limb of p is 2^28 + 1, so -1/p is 2^28 - 1 and the product is a shift and a difference.
 */
@inline
export function quotient(c: u64): u64 {
  return ((c << 28) - c) & MASK;
}

/** Carry from column c to the next one, with its lowest quotient product q * (2^28 + 1), a multiple of 2^29. */
@inline
export function carry(c: u64, q: u64): u64 {
  return (c + q + (q << 28)) >> LIMB_BITS;
}
