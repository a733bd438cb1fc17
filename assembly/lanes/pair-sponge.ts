import { LANES_ELEMENT } from "./arithmetic";
import { AGAIN_FACTOR, FULL_PAIRS } from "./constants";
import { mulLanes, sboxes } from "./mul";
import { externalLayerPairs } from "./pair-layers";
import { partialRoundsPairs } from "./pair-partial-rounds";
import { addWords, lanesToWords, wordsToLanes } from "./words";

/** One state, spread over the lanes: elements (0, 1), (2, 3). */
const PAIRS: usize = 160;

const STATE = memory.data(160, 16);
const BLOCK = memory.data(128, 8);

function fullRound(nextConstants: usize): void {
  sboxes(STATE, PAIRS);
  externalLayerPairs(STATE, nextConstants);
}

/** Poseidon2 permutation of STATE; bounds and scales of permuteLanes. */
function permute(): void {
  externalLayerPairs(STATE, FULL_PAIRS);
  for (let round: usize = 1; round <= 4; round++) fullRound(FULL_PAIRS + round * PAIRS);
  partialRoundsPairs(STATE);
  for (let round: usize = 5; round <= 8; round++) fullRound(FULL_PAIRS + round * PAIRS);
}

/** Adds `count` (0 to 3) words to the rate. */
function addBlock(words: usize, count: u32): void {
  memory.fill(BLOCK, 0, 128);
  memory.copy(BLOCK, words, (<usize>count) << 5);
  for (let n: usize = 0; n < 2; n++) {
    addWords(STATE + n * LANES_ELEMENT, BLOCK + (n << 6), BLOCK + (n << 6) + 32);
  }
}

/** Absorbs words in chunks of three into STATE, which has the scale of an input, and permutes at least once. */
function absorb(words: usize, count: u32): void {
  for (let i: u32 = 0; i == 0 || i < count; i += 3) {
    if (i > 0) {
      mulLanes(STATE, STATE, AGAIN_FACTOR);
      mulLanes(STATE + LANES_ELEMENT, STATE + LANES_ELEMENT, AGAIN_FACTOR);
    }
    addBlock(words + ((<usize>i) << 5), min<u32>(3, count - i));
    permute();
  }
}

function loadState(words: usize): void {
  wordsToLanes(STATE, words, words + 32);
  wordsToLanes(STATE + LANES_ELEMENT, words + 64, words + 96);
}

/** hashWords of poseidon2/sponge.ts. */
export function hashWordsPairs(out: usize, words: usize, count: u32): void {
  memory.fill(BLOCK, 0, 128);
  store<u64>(BLOCK, bswap<u64>(count), 112);
  loadState(BLOCK);
  absorb(words, count);
  lanesToWords(out, BLOCK, STATE);
}

/**
 * Ends a hash that was begun in one lane of permuteLanes' state, in the scale of an input; at least one permutation is
 * left.
 *
 *   words count x 32 | lane 4 x 80, its first digit at the address -> out 32
 */
export function hashRestPairs(out: usize, words: usize, count: u32, lane: usize): void {
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) {
    for (let n: usize = 0; n < 2; n++) {
      const first = lane + 2 * n * LANES_ELEMENT + i;
      const pair = STATE + n * LANES_ELEMENT + i;
      store<f64>(pair, load<f64>(first));
      store<f64>(pair, load<f64>(first, LANES_ELEMENT), 8);
    }
  }
  absorb(words, count);
  lanesToWords(out, BLOCK, STATE);
}

/** absorbWords of poseidon2/sponge.ts. */
export function absorbWordsPairs(state: usize, words: usize, count: u32): void {
  loadState(state);
  absorb(words, count);
  lanesToWords(state, state + 32, STATE);
  lanesToWords(state + 64, state + 96, STATE + LANES_ELEMENT);
}
