import { absorbWordsPairs, hashWordsPairs } from "../lanes/pair-sponge";
import { chosenBuild, FUSED_LANES } from "./build";
import { absorbWordsScalar, hashWordsScalar } from "./scalar-sponge";

/**
 * H (docs/protocol/01-fields-and-hashing.md#17-hash-of-fields).
 *
 *   words count x 32 -> out 32       out may overlap words
 */
export function hashWords(out: usize, words: usize, count: u32): void {
  if (chosenBuild() == FUSED_LANES) hashWordsPairs(out, words, count);
  else hashWordsScalar(out, words, count);
}

/**
 * Loads a state of words, absorbs `count` words in chunks of three (a shorter last chunk is absorbed as it is), and
 * stores it back. With `count` 0 the state is permuted once.
 *
 *   state 4 x 32, in place | words count x 32
 */
export function absorbWords(state: usize, words: usize, count: u32): void {
  if (chosenBuild() == FUSED_LANES) absorbWordsPairs(state, words, count);
  else absorbWordsScalar(state, words, count);
}
