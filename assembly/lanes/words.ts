import { multiplyWords } from "../field/word-arithmetic";
import { DIGIT_BITS, DIGIT_MASK, P0, P1, P2, P3, P4 } from "./arithmetic";
import { mulLanes } from "./mul";
import { addSettled } from "./settle";

/**
 * 1 and R^2 mod p in both lanes: factors out of and into Montgomery form. R^2 has balanced digits, since a word's top digit may
 * reach 2^52 and products have to stay below 2^102.
 */
const UNIT = memory.data(80, 16);
const R_SQUARED = memory.data(80, 16);
const SCRATCH = memory.data(80, 16);
const ZERO = memory.data(80, 16);

@inline
function storeDigits(at: usize, word: usize): void {
  const w3 = bswap(load<u64>(word));
  const w2 = bswap(load<u64>(word, 8));
  const w1 = bswap(load<u64>(word, 16));
  const w0 = bswap(load<u64>(word, 24));
  store<f64>(at, <f64>(w0 & DIGIT_MASK));
  store<f64>(at, <f64>(((w0 >> 51) | (w1 << 13)) & DIGIT_MASK), 16);
  store<f64>(at, <f64>(((w1 >> 38) | (w2 << 26)) & DIGIT_MASK), 32);
  store<f64>(at, <f64>(((w2 >> 25) | (w3 << 39)) & DIGIT_MASK), 48);
  store<f64>(at, <f64>(w3 >> 12), 64);
}

/** Fills the two factors. 2^510 mod p as the square of 2^255. */
export function deriveLaneFactors(): void {
  v128.store(UNIT, f64x2.splat(1));
  const word = SCRATCH;
  store<u8>(word, 0x80);
  multiplyWords(word, word, word);
  storeDigits(R_SQUARED, word);
  storeDigits(R_SQUARED + 8, word);
  addSettled(R_SQUARED, R_SQUARED, ZERO);
}

/**
 * One word to each lane, in Montgomery form and below 2.6 p in size; any 256-bit values.
 *
 *   left 32 | right 32 -> out 80
 */
export function wordsToLanes(out: usize, left: usize, right: usize): void {
  storeDigits(out, left);
  storeDigits(out + 8, right);
  mulLanes(out, out, R_SQUARED);
}

/** Digit i of one lane as an integer. */
@inline
function integer(at: usize, i: usize): i64 {
  return <i64>load<f64>(at + (i << 4));
}

/** Whether the digits of one lane, balanced, stand for a negative value. */
function isNegative(at: usize): bool {
  let c: i64 = 0;
  for (let i: usize = 0; i < 5; i++) c = (c >> DIGIT_BITS) + integer(at, i);
  return c < 0;
}

/** Stores one lane, above -p and below p, as a canonical word. */
function digitsToWord(word: usize, at: usize): void {
  const p: i64 = isNegative(at) ? 1 : 0;
  let c = integer(at, 0) + p * <i64>P0;
  const d0 = <u64>c & DIGIT_MASK;
  c = (c >> DIGIT_BITS) + integer(at, 1) + p * <i64>P1;
  const d1 = <u64>c & DIGIT_MASK;
  c = (c >> DIGIT_BITS) + integer(at, 2) + p * <i64>P2;
  const d2 = <u64>c & DIGIT_MASK;
  c = (c >> DIGIT_BITS) + integer(at, 3) + p * <i64>P3;
  const d3 = <u64>c & DIGIT_MASK;
  const d4 = <u64>((c >> DIGIT_BITS) + integer(at, 4) + p * <i64>P4);
  store<u64>(word, bswap((d4 << 12) | (d3 >> 39)));
  store<u64>(word, bswap((d3 << 25) | (d2 >> 26)), 8);
  store<u64>(word, bswap((d2 << 38) | (d1 >> 13)), 16);
  store<u64>(word, bswap((d1 << 51) | d0), 24);
}

/**
 * Each lane to its canonical word.
 *
 *   element 80 -> left 32 | right 32
 */
export function lanesToWords(left: usize, right: usize, element: usize): void {
  mulLanes(SCRATCH, element, UNIT);
  digitsToWord(left, SCRATCH);
  digitsToWord(right, SCRATCH + 8);
}
