/**
 * The Grain LFSR that the constants of the Poseidon papers are drawn from
 * (docs/protocol/01-fields-and-hashing.md#15-poseidon2-permutation). Its 80 bits, oldest first:
 *
 *   0 bits 0..15 in a u64 | 8 bits 16..79 in a u64       the newest bit is the lowest of the second
 */
const OLD = 0;
const NEW = 8;

export const GRAIN_STATE: usize = 16;

function shiftIn(state: usize, bit: u64): void {
  const young = load<u64>(state, NEW);
  store<u64>(state, ((load<u64>(state, OLD) << 1) | (young >> 63)) & 0xffff, OLD);
  store<u64>(state, (young << 1) | bit, NEW);
}

/** Appends the low `width` bits of `value`, highest first. */
function shiftInBits(state: usize, value: u64, width: i32): void {
  for (let i = width - 1; i >= 0; i--) shiftIn(state, (value >> i) & 1);
}

/** Taps at bits 62, 51, 38, 23, 13 and 0, counted from the oldest. */
function step(state: usize): u64 {
  const old = load<u64>(state, OLD);
  const young = load<u64>(state, NEW);
  const bit = ((young >> 17) ^ (young >> 28) ^ (young >> 41) ^ (young >> 56) ^ (old >> 2) ^ (old >> 15)) & 1;
  shiftIn(state, bit);
  return bit;
}

/** State of the generator for x^5 over a 254-bit prime field, t = 4, 8 full and 56 partial rounds. */
export function seedGrain(state: usize): void {
  shiftInBits(state, 1, 2);
  shiftInBits(state, 0, 4);
  shiftInBits(state, 254, 12);
  shiftInBits(state, 4, 12);
  shiftInBits(state, 8, 10);
  shiftInBits(state, 56, 10);
  shiftInBits(state, 0x3fffffff, 30);
  for (let i = 0; i < 160; i++) step(state);
}

/** Self-shrinking output: of each pair of bits, the second when the first is 1. */
function output(state: usize): u64 {
  while (step(state) == 0) step(state);
  return step(state);
}

/**
 * The next 254 bits as a word, highest first.
 *
 *   word 32 big-endian
 */
export function drawWord(state: usize, word: usize): void {
  for (let i: usize = 0; i < 32; i += 8) {
    let part: u64 = 0;
    for (let n = i == 0 ? 62 : 64; n > 0; n--) part = (part << 1) | output(state);
    store<u64>(word + i, bswap(part));
  }
}
