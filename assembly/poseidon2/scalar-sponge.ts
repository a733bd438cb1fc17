import { ELEMENT } from "../field/modulus";
import { elementToWord, wordToElement } from "../field/montgomery-form";
import { addLoose, permute, STATE } from "./permutation";

const WORK = memory.data(288, 8);
const INPUT = memory.data(72, 8);
const WORD = memory.data(32, 8);

/** State (0, 0, 0, capacity * 2^64). */
function start(state: usize, capacity: u64): void {
  memory.fill(state, 0, STATE);
  store<u64>(WORD, 0);
  store<u64>(WORD, 0, 8);
  store<u64>(WORD, bswap(capacity), 16);
  store<u64>(WORD, 0, 24);
  wordToElement(state + 3 * ELEMENT, WORD);
}

/** Adds `count` (1 to 3) words to the rate and permutes. */
function absorb(state: usize, words: usize, count: u32): void {
  for (let i: usize = 0; i < count; i++) {
    wordToElement(INPUT, words + (i << 5));
    addLoose(state + i * ELEMENT, INPUT);
  }
  permute(state);
}

/** hashWords of sponge.ts. */
export function hashWordsScalar(out: usize, words: usize, count: u32): void {
  start(WORK, count);
  if (count == 0) permute(WORK);
  for (let i: u32 = 0; i < count; i += 3) absorb(WORK, words + ((<usize>i) << 5), min<u32>(3, count - i));
  elementToWord(out, WORK);
}

/** absorbWords of sponge.ts. */
export function absorbWordsScalar(state: usize, words: usize, count: u32): void {
  for (let i: usize = 0; i < 4; i++) wordToElement(WORK + i * ELEMENT, state + (i << 5));
  if (count == 0) permute(WORK);
  for (let i: u32 = 0; i < count; i += 3) absorb(WORK, words + ((<usize>i) << 5), min<u32>(3, count - i));
  for (let i: usize = 0; i < 4; i++) elementToWord(state + (i << 5), WORK + i * ELEMENT);
}
