import {
  add,
  asInteger,
  carried,
  CARRIED_BIAS,
  CARRY_BIAS,
  digit,
  digitMask,
  digitOnes,
  HALF,
  LANES_ELEMENT,
  LOW_BITS,
  LOW_ONE,
  unitBits,
} from "./arithmetic";
import { FACTORS, PAIR_FACTORS, ROUND_STARTS_PAIR, STARTS } from "./constants";
import { squareLanes } from "./mul";
import { lefts, rights, swapped } from "./pair-layers";
import { enterRecurrence, leaveRecurrence } from "./partial-rounds";
import { product } from "../unrolled/products";
import { reduceSix } from "./reduction";
import { sumOfThree } from "../unrolled/sum-of-three";
import { HISTORY, WIDE_ELEMENT, widen } from "./wide";

/** x in the left lane, zero in the right one. */
const X = memory.data(80, 16);
const POWER = memory.data(80, 16);
const SUM_COLUMNS = memory.data(160, 16);
/** x in the left lane, w minus x in the right one. */
const NEXT = memory.data(80, 16);
/** An element in both lanes. */
const BOTH = memory.data(80, 16);
const LEAVING = memory.data(240, 16);

/** Copies the left element of a pair to both lanes of a position of the history. */
function placeLeft(place: usize, pair: usize): void {
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) {
    v128.store(BOTH + i, lefts(v128.load(pair + i), v128.load(pair + i)));
  }
  widen(HISTORY + place * WIDE_ELEMENT, BOTH);
}

function placeRight(place: usize, pair: usize): void {
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) {
    v128.store(BOTH + i, rights(v128.load(pair + i), v128.load(pair + i)));
  }
  widen(HISTORY + place * WIDE_ELEMENT, BOTH);
}

function takeLeft(pair: usize): void {
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) v128.store(X + i, lefts(v128.load(pair + i), f64x2.splat(0)));
}

@inline
function laneSum(pair: usize, i: usize, start: u64): v128 {
  const x = asInteger(pair, i);
  return add(add(x, swapped(x)), i64x2.splat(start - 2 * LOW_BITS));
}

/** Stores the sum of the two lanes, carried, in both lanes of a position of the history. */
function placeSum(place: usize, pair: usize): void {
  const mask = digitMask();
  const unit = unitBits();
  const ones = digitOnes();
  const inner: u64 = CARRY_BIAS + HALF - CARRIED_BIAS;
  const t0 = laneSum(pair, 0, CARRY_BIAS + HALF);
  v128.store(BOTH, digit(t0, mask, unit, ones));
  const t1 = add(laneSum(pair, 1, inner), carried(t0));
  v128.store(BOTH, digit(t1, mask, unit, ones), 16);
  const t2 = add(laneSum(pair, 2, inner), carried(t1));
  v128.store(BOTH, digit(t2, mask, unit, ones), 32);
  const t3 = add(laneSum(pair, 3, inner), carried(t2));
  v128.store(BOTH, digit(t3, mask, unit, ones), 48);
  const t4 = add(laneSum(pair, 4, LOW_BITS - CARRIED_BIAS), carried(t3));
  v128.store(BOTH, f64x2.sub(t4, f64x2.splat(LOW_ONE)), 64);
  widen(HISTORY + place * WIDE_ELEMENT, BOTH);
}

/**
 * Rounds 4 to 59 and the constants of round 60 (partial-rounds.ts) for a state that is spread over the lanes: the S-box
 * has the left lane, and one sum serves x in the left lane and w in the right one.
 *
 *   state 2 x 80, in place
 */
export function partialRoundsPairs(state: usize): void {
  placeRight(0, state);
  placeLeft(1, state + LANES_ELEMENT);
  placeRight(2, state + LANES_ELEMENT);
  enterRecurrence();
  takeLeft(state);
  let turn: usize = 0;
  for (let round: usize = 0; round < 56; round++) {
    squareLanes(POWER, X);
    sumOfThree(SUM_COLUMNS, ROUND_STARTS_PAIR + round * STARTS, PAIR_FACTORS + turn * FACTORS);
    squareLanes(POWER, POWER);
    product(SUM_COLUMNS, POWER, X);
    reduceSix(NEXT);
    takeLeft(NEXT);
    turn = turn == 2 ? 0 : turn + 1;
    placeSum(turn, NEXT);
  }
  leaveRecurrence(LEAVING);
  for (let i: usize = 0; i < LANES_ELEMENT; i += 16) {
    const y1 = v128.load(LEAVING + i);
    v128.store(state + i, lefts(v128.load(X + i), y1));
    v128.store(state + i, lefts(v128.load(LEAVING + i, 80), v128.load(LEAVING + i, 160)), LANES_ELEMENT);
  }
}
