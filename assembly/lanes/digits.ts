import { DIGIT_BITS, DIGIT_MASK, HALF, P0, P1, P2, P3, P4 } from "./arithmetic";

/** Five digits as integers. */
const INTEGERS = memory.data(40, 8);

@inline
function integer(i: usize): usize {
  return INTEGERS + (i << 3);
}

function modulusDigit(i: usize): i64 {
  switch (<i32>i) {
    case 0: return <i64>P0;
    case 1: return <i64>P1;
    case 2: return <i64>P2;
    case 3: return <i64>P3;
    default: return <i64>P4;
  }
}

/**
 * Subtracts k p from INTEGERS and carries: digits of 0 .. 2^51-1, except the top one, which has the sign of the value.
 */
function subtractModulus(k: i64): void {
  let c: i64 = 0;
  for (let i: usize = 0; i < 5; i++) {
    c += load<i64>(integer(i)) - k * modulusDigit(i);
    store<i64>(integer(i), i < 4 ? c & DIGIT_MASK : c);
    c >>= DIGIT_BITS;
  }
}

function splitWord(word: usize): void {
  const w3 = bswap(load<u64>(word));
  const w2 = bswap(load<u64>(word, 8));
  const w1 = bswap(load<u64>(word, 16));
  const w0 = bswap(load<u64>(word, 24));
  store<u64>(integer(0), w0 & DIGIT_MASK);
  store<u64>(integer(1), ((w0 >> 51) | (w1 << 13)) & DIGIT_MASK);
  store<u64>(integer(2), ((w1 >> 38) | (w2 << 26)) & DIGIT_MASK);
  store<u64>(integer(3), ((w2 >> 25) | (w3 << 39)) & DIGIT_MASK);
  store<u64>(integer(4), w3 >> 12);
}

/**
 * Digits of a word (any 256 bits) to one lane, not balanced: 0 .. 2^51-1, the top one below 2^52.
 *
 *   word 32 big-endian -> every other double of 80 bytes
 */
export function wordToDigits(lane: usize, word: usize): void {
  splitWord(word);
  for (let i: usize = 0; i < 5; i++) store<f64>(lane + (i << 4), <f64>load<i64>(integer(i)));
}

/**
 * One lane, above -2 p and below 2 p, to its canonical word.
 *
 *   every other double of 80 bytes -> word 32 big-endian
 */
export function digitsToWord(word: usize, lane: usize): void {
  for (let i: usize = 0; i < 5; i++) store<i64>(integer(i), <i64>load<f64>(lane + (i << 4)));
  subtractModulus(-2);
  do {
    subtractModulus(1);
  } while (load<i64>(integer(4)) >= 0);
  subtractModulus(-1);
  const d0 = load<u64>(integer(0));
  const d1 = load<u64>(integer(1));
  const d2 = load<u64>(integer(2));
  const d3 = load<u64>(integer(3));
  const d4 = load<u64>(integer(4));
  store<u64>(word, bswap((d4 << 12) | (d3 >> 39)));
  store<u64>(word, bswap((d3 << 25) | (d2 >> 26)), 8);
  store<u64>(word, bswap((d2 << 38) | (d1 >> 13)), 16);
  store<u64>(word, bswap((d1 << 51) | d0), 24);
}

/**
 * Canonical word to the balanced digits, in both lanes, of the residue nearest to zero.
 *
 *   word 32 big-endian -> out 80
 */
export function balancedDigits(out: usize, word: usize): void {
  splitWord(word);
  subtractModulus(load<i64>(integer(4)) > (<i64>P4 >> 1) ? 1 : 0);
  let c: i64 = 0;
  for (let i: usize = 0; i < 5; i++) {
    c += load<i64>(integer(i));
    const d = i < 4 ? ((c + HALF) & DIGIT_MASK) - HALF : c;
    v128.store(out + (i << 4), f64x2.splat(<f64>d));
    c = (c - d) >> DIGIT_BITS;
  }
}
