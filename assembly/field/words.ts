import { ELEMENT, LIMB_BITS, MASK, P0, P1, P2, P3, P4, P5, P6, P7, P8 } from "./modulus";

/**
 * Splits a word into tight limbs; any 256-bit value.
 *
 *   word 32 big-endian -> out 72
 */
export function wordToLimbs(out: usize, word: usize): void {
  const w3 = bswap(load<u64>(word));
  const w2 = bswap(load<u64>(word, 8));
  const w1 = bswap(load<u64>(word, 16));
  const w0 = bswap(load<u64>(word, 24));
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
 * Joins tight limbs of a value below 2^256.
 *
 *   limbs 72 -> word 32 big-endian
 */
export function limbsToWord(word: usize, limbs: usize): void {
  const l2 = load<u64>(limbs, 16);
  const l4 = load<u64>(limbs, 32);
  const l6 = load<u64>(limbs, 48);
  store<u64>(word, bswap((l6 >> 18) | (load<u64>(limbs, 56) << 11) | (load<u64>(limbs, 64) << 40)));
  store<u64>(word, bswap((l4 >> 12) | (load<u64>(limbs, 40) << 17) | (l6 << 46)), 8);
  store<u64>(word, bswap((l2 >> 6) | (load<u64>(limbs, 24) << 23) | (l4 << 52)), 16);
  store<u64>(word, bswap(load<u64>(limbs) | (load<u64>(limbs, 8) << 29) | (l2 << 58)), 24);
}

/** Limb i of p. */
export function modulusLimb(i: usize): u64 {
  switch (<i32>i) {
    case 0: return P0;
    case 1: return P1;
    case 2: return P2;
    case 3: return P3;
    case 4: return P4;
    case 5: return P5;
    case 6: return P6;
    case 7: return P7;
    default: return P8;
  }
}

/** Whether tight limbs hold a value below p. */
export function isBelowModulus(limbs: usize): bool {
  for (let i: isize = 8; i >= 0; i--) {
    const limb = load<u64>(limbs + (<usize>i << 3));
    const p = modulusLimb(i);
    if (limb != p) return limb < p;
  }
  return false;
}

/** Subtracts p from tight limbs in place if their value is p or more. */
export function subtractModulusOnce(limbs: usize): void {
  if (isBelowModulus(limbs)) return;
  let c: i64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 8) {
    c += load<i64>(limbs + i) - modulusLimb(i >> 3);
    store<u64>(limbs + i, <u64>c & MASK);
    c >>= <i64>LIMB_BITS;
  }
}
