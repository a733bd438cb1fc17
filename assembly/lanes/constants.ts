import { ELEMENT } from "../field/modulus";
import { elementToWord } from "../field/montgomery-form";
import { addWords, divideWords, multiplyWords, subtractWords } from "../field/word-arithmetic";
import { FULL, PARTIAL, TAIL } from "../poseidon2/constants";
import { LANES_ELEMENT } from "./arithmetic";
import { storeStarts } from "./column-starts";
import { balancedDigits } from "./digits";
import { BASIS, dot, ENTRY, ONE, STEP, SUM } from "./recurrence";
import { WIDE_ELEMENT, widenFactor } from "./wide";

/** Column starts and the factors of one sumOfThree. */
export const STARTS: usize = 160;
export const FACTORS: usize = 720;

/**
 * Rows of poseidon2/constants.ts in both lanes, each in the scale of the state that it is added to; below p / 2 in
 * absolute value.
 */
export const FULL_LANES = memory.data(2880, 16);
/** The same rows for a state spread over the lanes: (0, 1), (2, 3). */
export const FULL_PAIRS = memory.data(1440, 16);

/**
 * Starts of the sum added to x, with the constant of the round. For a spread state, the right lane has the start of the
 * sum for w, without constants.
 */
export const ROUND_STARTS = memory.data(8960, 16);
export const ROUND_STARTS_PAIR = memory.data(8960, 16);
/** Starts of a plain sum, of a sum added to x, and of the sums for y_1 to y_3 with the constants of round 60. */
export const SUM_STARTS = memory.data(160, 16);
export const SUM_ONTO_STARTS = memory.data(160, 16);
export const EXIT_STARTS = memory.data(480, 16);

/** Factors of the sum added to x and of that for w, by round mod 3: w_j is at position j mod 3 of the history. */
export const SUM_FACTORS = memory.data(2160, 16);
export const STEP_FACTORS = memory.data(2160, 16);
/** SUM_FACTORS in the left lane, STEP_FACTORS in the right one. */
export const PAIR_FACTORS = memory.data(2160, 16);
/** Conversion from y_1 to y_3 to w_j, w_j-1, w_j-2 of round 4, and from the last three w to y_1 to y_3 of round 60. */
export const ENTRY_FACTORS = memory.data(2160, 16);
export const EXIT_FACTORS = memory.data(2160, 16);

/**
 * Conversion from plain digits to the scale of a permutation's input, from its output to plain digits, and from output
 * to input.
 */
export const IN_FACTOR = memory.data(80, 16);
export const OUT_FACTOR = memory.data(80, 16);
export const AGAIN_FACTOR = memory.data(80, 16);

/**
 * Scale of a permutation's input: a root of u^2500 = 2^51 (d_0 + 1). Each full round takes the scale to its fifth
 * power, so the partial rounds begin at m = u^625 (recurrence.ts).
 */
const INPUT_SCALE = memory.data<u8>([
  0x13, 0xfc, 0x0e, 0x99, 0x74, 0x65, 0xc3, 0x76, 0x81, 0x3c, 0x56, 0xae, 0xb5, 0xb1, 0xb9, 0xd3, 0x0a, 0x0e, 0x80, 0x6f,
  0x77, 0x46, 0xdd, 0x27, 0x0f, 0x09, 0x7c, 0x95, 0x38, 0xd0, 0x64, 0x43,
]);

/** 2^255 and 2^306, mod p. */
const R = memory.data(32, 8);
const R_SIX = memory.data(32, 8);
const SCALE = memory.data(32, 8);
const WORD = memory.data(32, 8);
const POWER = memory.data(32, 8);
const DIGITS = memory.data(80, 16);
/** Contribution of the constants to w_j, w_j-1, w_j-2. */
const SHARE = memory.data(96, 8);

/** word -> element, in Montgomery form. */
function storeElement(out: usize, word: usize): void {
  multiplyWords(POWER, word, R);
  balancedDigits(out, POWER);
}

/** word -> factor of products that are reduced by 2^306. */
function storeFactor(out: usize, word: usize): void {
  multiplyWords(POWER, word, R_SIX);
  balancedDigits(DIGITS, POWER);
  widenFactor(out, DIGITS);
}

/** starts -> starts of the same columns plus an element that the reduction by 2^306 leaves as it is. */
function storeStartsWith(out: usize, word: usize, starts: usize): void {
  multiplyWords(POWER, word, R);
  multiplyWords(POWER, POWER, R_SIX);
  balancedDigits(DIGITS, POWER);
  memory.copy(out, starts, STARTS);
  for (let i: usize = 0; i < LANES_ELEMENT; i += 8) store<i64>(out + i, load<i64>(out + i) + <i64>load<f64>(DIGITS + i));
}

/** Interleaves the left lanes of two rows of `length` bytes. */
function storePair(out: usize, left: usize, right: usize, length: usize): void {
  for (let i: usize = 0; i < length; i += 16) {
    store<u64>(out + i, load<u64>(left + i));
    store<u64>(out + i, load<u64>(right + i), 8);
  }
}

/** SCALE to its fifth power. */
function raiseScale(): void {
  multiplyWords(POWER, SCALE, SCALE);
  multiplyWords(POWER, POWER, POWER);
  multiplyWords(SCALE, SCALE, POWER);
}

function deriveRows(): void {
  for (let row: usize = 0; row < 9; row++) {
    const lanes = FULL_LANES + row * 4 * LANES_ELEMENT;
    const pairs = FULL_PAIRS + row * 2 * LANES_ELEMENT;
    for (let i: usize = 0; i < 4; i++) {
      elementToWord(WORD, FULL + (row * 4 + i) * ELEMENT);
      multiplyWords(WORD, WORD, SCALE);
      storeElement(lanes + i * LANES_ELEMENT, WORD);
    }
    storePair(pairs, lanes, lanes + LANES_ELEMENT, LANES_ELEMENT);
    storePair(pairs + LANES_ELEMENT, lanes + 2 * LANES_ELEMENT, lanes + 3 * LANES_ELEMENT, LANES_ELEMENT);
    if (row == 4) deriveRounds();
    if (row < 8) raiseScale();
  }
}

/** In the scale of the partial rounds. */
function deriveRounds(): void {
  const starts = memory.data(160, 16);
  const word = memory.data(32, 8);
  storeStarts(starts, 1, 0, 1, 6, false);
  for (let round: usize = 0; round < 56; round++) {
    elementToWord(WORD, PARTIAL + round * ELEMENT);
    multiplyWords(WORD, WORD, SCALE);
    dot(word, SUM, SHARE);
    addWords(word, word, WORD);
    storeStartsWith(ROUND_STARTS + round * STARTS, word, starts);
    storePair(ROUND_STARTS_PAIR + round * STARTS, ROUND_STARTS + round * STARTS, starts, STARTS);
    dot(word, STEP, SHARE);
    subtractWords(word, word, WORD);
    memory.copy(SHARE + 32, SHARE, 64);
    memory.copy(SHARE, word, 32);
  }
  for (let i: usize = 0; i < 3; i++) {
    elementToWord(WORD, TAIL + i * ELEMENT);
    multiplyWords(WORD, WORD, SCALE);
    dot(word, BASIS + i * 96, SHARE);
    addWords(word, word, WORD);
    storeStartsWith(EXIT_STARTS + i * STARTS, word, SUM_STARTS);
  }
}

function deriveFactors(): void {
  for (let turn: usize = 0; turn < 3; turn++) {
    for (let place: usize = 0; place < 3; place++) {
      const out = turn * FACTORS + place * WIDE_ELEMENT;
      const age = ((turn + 3 - place) % 3) << 5;
      storeFactor(SUM_FACTORS + out, SUM + age);
      storeFactor(STEP_FACTORS + out, STEP + age);
      storeFactor(ENTRY_FACTORS + out, ENTRY + turn * 96 + (place << 5));
      // w_56 is at position 2.
      storeFactor(EXIT_FACTORS + out, BASIS + turn * 96 + ((2 - place) << 5));
    }
  }
  storePair(PAIR_FACTORS, SUM_FACTORS, STEP_FACTORS, 3 * FACTORS);
}

/** Derives all tables from those of poseidon2/constants.ts; `deriveRecurrence` comes first. */
export function deriveLaneConstants(): void {
  store<u8>(R, 0x80);
  store<u8>(R_SIX, 1 << 3, 25);
  multiplyWords(R_SIX, R_SIX, R);
  storeStarts(SUM_STARTS, 0, 0, 1, 6, false);
  storeStarts(SUM_ONTO_STARTS, 0, 0, 1, 6, true);
  deriveFactors();

  memory.copy(SCALE, INPUT_SCALE, 32);
  multiplyWords(WORD, SCALE, R);
  storeElement(IN_FACTOR, WORD);
  deriveRows();
  divideWords(WORD, ONE, SCALE);
  balancedDigits(OUT_FACTOR, WORD);
  divideWords(WORD, INPUT_SCALE, SCALE);
  storeElement(AGAIN_FACTOR, WORD);
}
