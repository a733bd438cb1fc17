import { resultOf, SPONGE_JOB, takeBlock, wordsLeft, wordsOf } from "../poseidon2/sponge-jobs";
import { LANES_ELEMENT } from "./arithmetic";
import { AGAIN_FACTOR } from "./constants";
import { mulLanes } from "./mul";
import { hashRestPairs } from "./pair-sponge";
import { LANES_STATE, permuteLanes } from "./permutation";
import { addWords, lanesToWords, wordsToLanes } from "./words";

const STATE = memory.data(320, 16);
const INPUT = memory.data(80, 16);
const WORD = memory.data(32, 8);
/** The next words to absorb in both lanes, and both results. */
const BLOCKS = memory.data(192, 8);
const RIGHT_BLOCK: usize = BLOCKS + 96;
const RESULTS = memory.data(64, 8);

/** Converts the state from the scale of an output to that of an input. */
function rescale(): void {
  for (let i: usize = 0; i < LANES_STATE; i += LANES_ELEMENT) mulLanes(STATE + i, STATE + i, AGAIN_FACTOR);
}

/**
 * Two hashes of `count` >= 1 words each (poseidon2/sponge.ts).
 *
 *   left count x 32 | right count x 32 -> outLeft 32 | outRight 32
 */
export function hashTwo(outLeft: usize, outRight: usize, left: usize, right: usize, count: u32): void {
  memory.fill(STATE, 0, LANES_STATE);
  store<u64>(WORD, bswap<u64>(count), 16);
  wordsToLanes(STATE + 3 * LANES_ELEMENT, WORD, WORD);
  for (let i: usize = 0; i < count; i++, left += 32, right += 32) {
    if (i > 0 && i % 3 == 0) {
      permuteLanes(STATE);
      rescale();
    }
    addWords(STATE + (i % 3) * LANES_ELEMENT, left, right);
  }
  permuteLanes(STATE);
  lanesToWords(outLeft, outRight, STATE);
}

/**
 * The state of both lanes before two words that follow `place` (0 or 1) words, for hashTwoNodesLanes.
 *
 *   first 32, if place is 1 -> start 4 x 80
 */
export function startNodesLanes(start: usize, first: usize, place: u32): void {
  memory.fill(start, 0, LANES_STATE);
  store<u64>(WORD, bswap<u64>(place + 2), 16);
  wordsToLanes(start + 3 * LANES_ELEMENT, WORD, WORD);
  if (place != 0) addWords(start, first, first);
}

/**
 * Two hashes that end with two words each.
 *
 *   left 64 | right 64 | start 4 x 80 -> outLeft 32 | outRight 32
 */
export function hashTwoNodesLanes(outLeft: usize, outRight: usize, left: usize, right: usize, start: usize, place: u32): void {
  memory.copy(STATE, start, LANES_STATE);
  const first = STATE + <usize>place * LANES_ELEMENT;
  addWords(first, left, right);
  addWords(first + LANES_ELEMENT, left + 32, right + 32);
  permuteLanes(STATE);
  lanesToWords(outLeft, outRight, STATE);
}

/** Starts a job in a lane; the lane's first digit is at `lane` (0 or 8) of an element. */
function begin(job: usize, lane: usize): void {
  store<u64>(WORD, bswap<u64>(wordsLeft(job)), 16);
  wordsToLanes(INPUT, WORD, WORD);
  for (let i: usize = 0; i < LANES_STATE; i += 16) store<f64>(STATE + lane + i, 0);
  const capacity = STATE + 3 * LANES_ELEMENT + lane;
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) store<f64>(capacity + i, load<f64>(INPUT + i));
}

/** Copies the next words of a job to `block`. */
function copyBlock(block: usize, job: usize): u32 {
  const count = takeBlock(job);
  const bytes = <usize>count << 5;
  memory.copy(block, wordsOf(job) - bytes, bytes);
  memory.fill(block + bytes, 0, 96 - bytes);
  return count;
}

function absorbBlocks(left: usize, right: usize): void {
  const count = <usize>max<u32>(copyBlock(BLOCKS, left), copyBlock(RIGHT_BLOCK, right));
  for (let i: usize = 0; i < count; i++) {
    addWords(STATE + i * LANES_ELEMENT, BLOCKS + (i << 5), RIGHT_BLOCK + (i << 5));
  }
  permuteLanes(STATE);
}

/**
 * Hashes of any numbers of words (poseidon2/sponge.ts): a lane that is done takes the next job, and the last job that
 * is left alone is spread over both lanes. What comes first should be longest.
 *
 *   jobs count x SPONGE_JOB, overwritten       no result may lie in the words of another job
 */
export function hashEachLanes(jobs: usize, count: u32): void {
  const end = jobs + <usize>count * SPONGE_JOB;
  if (jobs == end) return;
  let left = jobs;
  let next = left + SPONGE_JOB;
  begin(left, 0);
  let right: usize = 0;
  if (next < end) {
    right = next;
    next += SPONGE_JOB;
    begin(right, 8);
  }
  while (left != 0 && right != 0) {
    absorbBlocks(left, right);
    const leftEnds = wordsLeft(left) == 0;
    const rightEnds = wordsLeft(right) == 0;
    if (leftEnds || rightEnds) lanesToWords(RESULTS, RESULTS + 32, STATE);
    rescale();
    if (leftEnds) {
      memory.copy(resultOf(left), RESULTS, 32);
      left = next < end ? next : 0;
      if (left != 0) {
        next += SPONGE_JOB;
        begin(left, 0);
      }
    }
    if (rightEnds) {
      memory.copy(resultOf(right), RESULTS + 32, 32);
      right = next < end ? next : 0;
      if (right != 0) {
        next += SPONGE_JOB;
        begin(right, 8);
      }
    }
  }
  if (left != 0) hashRestPairs(resultOf(left), wordsOf(left), wordsLeft(left), STATE);
  else if (right != 0) hashRestPairs(resultOf(right), wordsOf(right), wordsLeft(right), STATE + 8);
}
