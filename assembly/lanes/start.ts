import { ELEMENT } from "../field/modulus";
import { elementToWord } from "../field/montgomery-form";
import { FULL } from "../poseidon2/constants";
import { hashWordsScalar } from "../poseidon2/scalar-sponge";
import { storeModulus, storeSplitting } from "./arithmetic";
import { deriveLaneConstants } from "./constants";
import { deriveMulStarts } from "./mul";
import { hashWordsPairs } from "./pair-sponge";
import { deriveRecurrence } from "./recurrence";
import { deriveFold } from "./fold";
import { hashTwo } from "./sponge";

/** Four words to hash, twice. */
const COUNT: u32 = 4;
const INPUTS = memory.data(256, 8);
const RIGHT: usize = INPUTS + 128;
const RESULTS = memory.data(64, 8);
const EXPECTED = memory.data(64, 8);

/** Compares two hashes of the first round constants, two permutations each, across all forms. */
function areExact(): bool {
  for (let i: usize = 0; i < 8; i++) elementToWord(INPUTS + (i << 5), FULL + i * ELEMENT);
  hashWordsScalar(EXPECTED, INPUTS, COUNT);
  hashWordsScalar(EXPECTED + 32, RIGHT, COUNT);
  hashTwo(RESULTS, RESULTS + 32, INPUTS, RIGHT, COUNT);
  if (memory.compare(RESULTS, EXPECTED, 64) != 0) return false;
  hashWordsPairs(RESULTS, RIGHT, COUNT);
  return memory.compare(RESULTS, EXPECTED + 32, 32) == 0;
}

/**
 * Derives the tables of the lanes and checks that they compute exactly. A relaxed multiply-add is fused on processors
 * that support it; elsewhere it rounds twice, which makes every hash wrong.
 */
export function prepareLanes(): bool {
  storeModulus();
  storeSplitting();
  deriveFold();
  deriveMulStarts();
  deriveRecurrence();
  deriveLaneConstants();
  return areExact();
}
