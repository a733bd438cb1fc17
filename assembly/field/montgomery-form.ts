import { ELEMENT, LIMB_BITS, MASK } from "./modulus";
import { mul } from "./mul";
import { limbsToWord, subtractModulusOnce, wordToLimbs } from "./words";

/** 1 as plain limbs: multiplying by it takes a value out of Montgomery form. */
const UNIT = memory.data(72, 8);
/** R^2 mod p as plain limbs: multiplying by it brings a value into Montgomery form. */
const R_SQUARED = memory.data(72, 8);
const SCRATCH = memory.data(72, 8);

/** Fills the two factors. 2^522 mod p by doubling. */
export function deriveMontgomeryFactors(): void {
  store<u64>(UNIT, 1);
  store<u64>(R_SQUARED, 1);
  for (let n = 0; n < 522; n++) {
    let c: u64 = 0;
    for (let i: usize = 0; i < ELEMENT; i += 8) {
      c += load<u64>(R_SQUARED + i) << 1;
      store<u64>(R_SQUARED + i, c & MASK);
      c >>= LIMB_BITS;
    }
    subtractModulusOnce(R_SQUARED);
  }
}

/** Plain loose limbs of a value below 16 p to an element below 1.1 p. `out` may be `limbs`. */
export function limbsToElement(out: usize, limbs: usize): void {
  mul(out, limbs, R_SQUARED);
}

/**
 * Word (any 256-bit value; reduced when not below p) to an element below 1.1 p.
 *
 *   word 32 big-endian -> out 72
 */
export function wordToElement(out: usize, word: usize): void {
  wordToLimbs(out, word);
  mul(out, out, R_SQUARED);
}

/**
 * Element below 160 p to its canonical word.
 *
 *   element 72 -> word 32 big-endian
 */
export function elementToWord(word: usize, element: usize): void {
  mul(SCRATCH, element, UNIT);
  subtractModulusOnce(SCRATCH);
  limbsToWord(word, SCRATCH);
}
