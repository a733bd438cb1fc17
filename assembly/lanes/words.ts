import { IN_FACTOR, OUT_FACTOR } from "./constants";
import { digitsToWord, wordToDigits } from "./digits";
import { mulLanes } from "./mul";
import { addSettled } from "./settle";

const SCRATCH = memory.data(80, 16);
const INPUT = memory.data(80, 16);

/**
 * One word to each lane, in the form and scale of a permutation's input, below 2.1 p in size; any 256-bit values.
 *
 *   left 32 | right 32 -> out 80
 */
export function wordsToLanes(out: usize, left: usize, right: usize): void {
  wordToDigits(out, left);
  wordToDigits(out + 8, right);
  mulLanes(out, out, IN_FACTOR);
}

@inline
function isZero(word: usize): bool {
  return !v128.any_true(v128.or(v128.load(word), v128.load(word, 16)));
}

/**
 * Adds one word to each lane of an element of a permutation's input, which is below 2.6 p in size and afterwards too.
 * Most words of what is hashed at length are zero, as in a tx, and cost nothing.
 *
 *   element 80, in place | left 32 | right 32
 */
export function addWords(element: usize, left: usize, right: usize): void {
  if (isZero(left) && isZero(right)) return;
  wordsToLanes(INPUT, left, right);
  addSettled(element, element, INPUT);
}

/**
 * Each lane of a permutation's output to its canonical word.
 *
 *   element 80 -> left 32 | right 32
 */
export function lanesToWords(left: usize, right: usize, element: usize): void {
  mulLanes(SCRATCH, element, OUT_FACTOR);
  digitsToWord(left, SCRATCH);
  digitsToWord(right, SCRATCH + 8);
}
