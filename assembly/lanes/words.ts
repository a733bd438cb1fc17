import { IN_FACTOR, OUT_FACTOR } from "./constants";
import { digitsToWord, wordToDigits } from "./digits";
import { mulLanes } from "./mul";

const SCRATCH = memory.data(80, 16);

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
