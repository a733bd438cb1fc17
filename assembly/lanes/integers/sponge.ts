import { ELEMENT } from "../../field/modulus";
import { elementToWord, wordToElement } from "../../field/montgomery-form";
import { reduce } from "../../field/reduce";
import { FULL, PARTIAL, TAIL } from "../../poseidon2/constants";
import { addLoose, permute, STATE } from "../../poseidon2/permutation";
import { resultOf, SPONGE_JOB, takeBlock, wordsLeft, wordsOf } from "../../poseidon2/sponge-jobs";
import { add, fromLane, INTEGERS_ELEMENT, toLane } from "./arithmetic";
import { externalLayerIntegers, internalLayerIntegers } from "./linear-layers";
import { product, squareProduct } from "../../unrolled/integer-products";
import { reduceColumns } from "./reduction";

const INTEGERS_STATE: usize = 576;
const POWER = memory.data(144, 16);
const LANES = memory.data(576, 16);
/** The two states between permutations. */
const STATES = memory.data(576, 8);
const INPUT = memory.data(72, 8);
const WORD = memory.data(32, 8);

function sbox(x: usize): void {
  squareProduct(x);
  reduceColumns(POWER);
  squareProduct(POWER);
  reduceColumns(POWER);
  product(POWER, x);
  reduceColumns(x);
}

function fullRound(nextConstants: usize): void {
  for (let i: usize = 0; i < INTEGERS_STATE; i += INTEGERS_ELEMENT) sbox(LANES + i);
  externalLayerIntegers(LANES, nextConstants);
}

/** permute of poseidon2/permutation.ts for two states. */
function permuteTwo(): void {
  for (let i: usize = 0; i < 4; i++) {
    toLane(LANES + i * INTEGERS_ELEMENT, STATES + i * ELEMENT);
    toLane(LANES + i * INTEGERS_ELEMENT + 8, STATES + STATE + i * ELEMENT);
  }
  externalLayerIntegers(LANES, FULL);
  for (let round: usize = 1; round <= 4; round++) fullRound(FULL + round * STATE);
  for (let round: usize = 0; round < 56; round++) {
    sbox(LANES);
    internalLayerIntegers(LANES, PARTIAL + round * ELEMENT);
  }
  for (let i: usize = 0; i < 3 * ELEMENT; i += 8) {
    const at = LANES + INTEGERS_ELEMENT + (i << 1);
    v128.store(at, add(v128.load(at), v128.load64_splat(TAIL + i)));
  }
  for (let round: usize = 5; round <= 8; round++) fullRound(FULL + round * STATE);
  for (let i: usize = 0; i < 4; i++) {
    fromLane(STATES + i * ELEMENT, LANES + i * INTEGERS_ELEMENT);
    fromLane(STATES + STATE + i * ELEMENT, LANES + i * INTEGERS_ELEMENT + 8);
  }
  for (let i: usize = 0; i < 2 * STATE; i += ELEMENT) reduce(STATES + i, STATES + i);
}

function addWord(place: usize, word: usize): void {
  wordToElement(INPUT, word);
  addLoose(place, INPUT);
}

/**
 * Two hashes of `count` >= 1 words each (poseidon2/sponge.ts).
 *
 *   left count x 32 | right count x 32 -> outLeft 32 | outRight 32
 */
export function hashTwoIntegers(outLeft: usize, outRight: usize, left: usize, right: usize, count: u32): void {
  memory.fill(STATES, 0, 2 * STATE);
  store<u64>(WORD, bswap<u64>(count), 16);
  wordToElement(STATES + 3 * ELEMENT, WORD);
  wordToElement(STATES + STATE + 3 * ELEMENT, WORD);
  for (let i: usize = 0; i < count; i++, left += 32, right += 32) {
    if (i > 0 && i % 3 == 0) permuteTwo();
    const place = STATES + (i % 3) * ELEMENT;
    addWord(place, left);
    addWord(place + STATE, right);
  }
  permuteTwo();
  elementToWord(outLeft, STATES);
  elementToWord(outRight, STATES + STATE);
}

/** startNodesLanes of lanes/sponge.ts, of one state: 4 x 72. */
export function startNodesIntegers(start: usize, first: usize, place: u32): void {
  memory.fill(start, 0, STATE);
  store<u64>(WORD, bswap<u64>(place + 2), 16);
  wordToElement(start + 3 * ELEMENT, WORD);
  if (place != 0) wordToElement(start, first);
}

/** hashTwoNodesLanes of lanes/sponge.ts. */
export function hashTwoNodesIntegers(
  outLeft: usize,
  outRight: usize,
  left: usize,
  right: usize,
  start: usize,
  place: u32,
): void {
  memory.copy(STATES, start, STATE);
  memory.copy(STATES + STATE, start, STATE);
  const first = STATES + <usize>place * ELEMENT;
  for (let i: usize = 0; i < 2; i++) {
    addWord(first + i * ELEMENT, left + (i << 5));
    addWord(first + i * ELEMENT + STATE, right + (i << 5));
  }
  permuteTwo();
  elementToWord(outLeft, STATES);
  elementToWord(outRight, STATES + STATE);
}

function begin(job: usize, state: usize): void {
  memory.fill(state, 0, STATE);
  store<u64>(WORD, bswap<u64>(wordsLeft(job)), 16);
  wordToElement(state + 3 * ELEMENT, WORD);
}

function absorbBlock(job: usize, state: usize): void {
  const count = <usize>takeBlock(job);
  const words = wordsOf(job) - (count << 5);
  for (let i: usize = 0; i < count; i++) addWord(state + i * ELEMENT, words + (i << 5));
}

/** hashEachLanes of lanes/sponge.ts; scalar code finishes the last job. */
export function hashEachIntegers(jobs: usize, count: u32): void {
  const end = jobs + <usize>count * SPONGE_JOB;
  if (jobs == end) return;
  const rightState: usize = STATES + STATE;
  let left = jobs;
  let next = left + SPONGE_JOB;
  begin(left, STATES);
  let right: usize = 0;
  if (next < end) {
    right = next;
    next += SPONGE_JOB;
    begin(right, rightState);
  }
  while (left != 0 && right != 0) {
    absorbBlock(left, STATES);
    absorbBlock(right, rightState);
    permuteTwo();
    if (wordsLeft(left) == 0) {
      elementToWord(resultOf(left), STATES);
      left = next < end ? next : 0;
      if (left != 0) {
        next += SPONGE_JOB;
        begin(left, STATES);
      }
    }
    if (wordsLeft(right) == 0) {
      elementToWord(resultOf(right), rightState);
      right = next < end ? next : 0;
      if (right != 0) {
        next += SPONGE_JOB;
        begin(right, rightState);
      }
    }
  }
  const job = left != 0 ? left : right;
  if (job == 0) return;
  const state = left != 0 ? STATES : rightState;
  do {
    absorbBlock(job, state);
    permute(state);
  } while (wordsLeft(job) > 0);
  elementToWord(resultOf(job), state);
}
