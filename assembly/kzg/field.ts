import {
  ELEMENT,
  LIMB_BITS,
  LIMBS,
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
import { mul } from "./mul";

/** p, plain. */
const MODULUS = memory.data(112, 8);
/** 1, plain: multiplying by it takes a value out of Montgomery form. */
const UNIT = memory.data(112, 8);
/** R^2 mod p, plain: multiplying by it brings a value into Montgomery form. */
const R_SQUARED = memory.data(112, 8);
/** 1 in Montgomery form. */
export const ONE = memory.data(112, 8);
const ZERO = memory.data(112, 8);
const SCRATCH = memory.data(112, 8);
const PLAIN = memory.data(112, 8);

/** R^2 = 2^784. */
const BITS_OF_R_SQUARED: i32 = 784;

/** Fills the constants. */
export function deriveConstants(): void {
  const limbs: StaticArray<u64> = [P0, P1, P2, P3, P4, P5, P6, P7, P8, P9, P10, P11, P12, P13];
  for (let i: i32 = 0; i < LIMBS; i++) store<u64>(MODULUS + (<usize>i << 3), limbs[i]);
  store<u64>(UNIT, 1);
  store<u64>(R_SQUARED, 1);
  for (let n = 0; n < BITS_OF_R_SQUARED; n++) {
    add(R_SQUARED, R_SQUARED, R_SQUARED);
    subtractModulusOnce(R_SQUARED);
  }
  mul(ONE, UNIT, R_SQUARED);
}

/** out = a + b. */
export function add(out: usize, a: usize, b: usize): void {
  let c: u64 = 0;
  for (let i: usize = 0; i < ELEMENT - 8; i += 8) {
    c += load<u64>(a + i) + load<u64>(b + i);
    store<u64>(out + i, c & MASK);
    c >>= LIMB_BITS;
  }
  store<u64>(out, c + load<u64>(a, 104) + load<u64>(b, 104), 104);
}

/** out = a - b + multiple * p, where b is below multiple * p. */
export function subtract(out: usize, a: usize, b: usize, multiple: i64): void {
  let c: i64 = 0;
  for (let i: usize = 0; i < ELEMENT - 8; i += 8) {
    c += load<i64>(a + i) - load<i64>(b + i) + multiple * load<i64>(MODULUS + i);
    store<u64>(out + i, <u64>c & MASK);
    c >>= <i64>LIMB_BITS;
  }
  store<i64>(out, c + load<i64>(a, 104) - load<i64>(b, 104) + multiple * load<i64>(MODULUS, 104), 104);
}

/** Subtracts p in place if the value is p or more. */
export function subtractModulusOnce(a: usize): void {
  subtract(SCRATCH, a, MODULUS, 0);
  if (load<i64>(SCRATCH, 104) >= 0) copy(a, SCRATCH);
}

@inline
export function copy(out: usize, a: usize): void {
  memory.copy(out, a, ELEMENT);
}

/** Whether all limbs are zero. */
export function isLiteralZero(a: usize): bool {
  let any: u64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 8) any |= load<u64>(a + i);
  return any == 0;
}

/**
 * Whether a value below 16 p is a multiple of p. If it is k p, its lowest limb gives k, so almost no other value is
 * looked at as a whole.
 */
export function isZero(a: usize): bool {
  const k = (load<u64>(a) * (0 - QUOTIENT)) & MASK;
  if (k >= 16) return false;
  subtract(SCRATCH, a, ZERO, -(<i64>k));
  return isLiteralZero(SCRATCH);
}

/**
 * The canonical value below p in place, as plain limbs, of an element below 2000 p.
 */
function leaveMontgomeryForm(a: usize): void {
  mul(a, a, UNIT);
  subtractModulusOnce(a);
}

/**
 * Reads a number below 2^384 as an element below 1.1 p.
 *
 *   bytes 48 big-endian -> out 112
 */
export function fromBytes(out: usize, bytes: usize): void {
  let gathered: u64 = 0;
  let bits: u64 = 0;
  let limb: usize = out;
  for (let i: isize = 47; i >= 0; i--) {
    gathered |= <u64>load<u8>(bytes + i) << bits;
    bits += 8;
    if (bits < LIMB_BITS) continue;
    store<u64>(limb, gathered & MASK);
    limb += 8;
    gathered >>= LIMB_BITS;
    bits -= LIMB_BITS;
  }
  store<u64>(limb, gathered);
  mul(out, out, R_SQUARED);
}

/**
 * Writes an element below 2000 p.
 *
 *   element 112 -> bytes 48 big-endian
 */
export function toBytes(bytes: usize, element: usize): void {
  copy(PLAIN, element);
  leaveMontgomeryForm(PLAIN);
  let gathered: u64 = 0;
  let bits: u64 = 0;
  let limb: usize = PLAIN;
  for (let i: isize = 47; i >= 0; i--) {
    if (bits < 8) {
      gathered |= load<u64>(limb) << bits;
      limb += 8;
      bits += LIMB_BITS;
    }
    store<u8>(bytes + i, <u8>gathered);
    gathered >>= 8;
    bits -= 8;
  }
}
