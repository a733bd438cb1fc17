import { LANES_ELEMENT } from "./arithmetic";
import {
  ENTRY_FACTORS,
  EXIT_FACTORS,
  EXIT_STARTS,
  FACTORS,
  ROUND_STARTS,
  STARTS,
  STEP_FACTORS,
  SUM_FACTORS,
  SUM_ONTO_STARTS,
  SUM_STARTS,
} from "./constants";
import { squareLanes } from "./mul";
import { product } from "../unrolled/products";
import { COLUMNS } from "./fold";
import { reduceSix, reduceSixOnto } from "./reduction";
import { sumOfThree } from "../unrolled/sum-of-three";
import { HISTORY, WIDE_ELEMENT, widen } from "./wide";

const POWER = memory.data(80, 16);
const TERM = memory.data(80, 16);
const OLDER = memory.data(160, 16);
const SUM_COLUMNS = memory.data(160, 16);
const STEP_COLUMNS = memory.data(176, 16);

/** Computes the history of round 4 from y_1 to y_3, which are in its place. */
export function enterRecurrence(): void {
  sumOfThree(COLUMNS, SUM_STARTS, ENTRY_FACTORS);
  reduceSix(TERM);
  sumOfThree(COLUMNS, SUM_STARTS, ENTRY_FACTORS + FACTORS);
  reduceSix(OLDER);
  sumOfThree(COLUMNS, SUM_STARTS, ENTRY_FACTORS + 2 * FACTORS);
  reduceSix(OLDER + LANES_ELEMENT);
  widen(HISTORY, TERM);
  widen(HISTORY + 2 * WIDE_ELEMENT, OLDER);
  widen(HISTORY + WIDE_ELEMENT, OLDER + LANES_ELEMENT);
}

/**
 * y_1 to y_3 of round 60 from the history, with their constants.
 *
 *   -> out 3 x 80
 */
export function leaveRecurrence(out: usize): void {
  for (let i: usize = 0; i < 3; i++) {
    sumOfThree(COLUMNS, EXIT_STARTS + i * STARTS, EXIT_FACTORS + i * FACTORS);
    reduceSix(out + i * LANES_ELEMENT);
  }
}

/**
 * Rounds 4 to 59 (recurrence.ts) and the constants of round 60. Elements in below 0.6 p in size, out below 1.1 p: x is
 * what `reduceSix` leaves, whatever its terms; its fourth power is below 1.8 p; w is x and a second such value, below
 * 2.2 p. The sums do not wait for the S-box, so they stand where its steps wait for each other.
 *
 *   state 4 x 80, in place
 */
export function partialRounds(state: usize): void {
  for (let i: usize = 0; i < 3; i++) widen(HISTORY + i * WIDE_ELEMENT, state + (i + 1) * LANES_ELEMENT);
  enterRecurrence();
  let turn: usize = 0;
  for (let round: usize = 0; round < 56; round++) {
    squareLanes(POWER, state);
    sumOfThree(SUM_COLUMNS, ROUND_STARTS + round * STARTS, SUM_FACTORS + turn * FACTORS);
    squareLanes(POWER, POWER);
    sumOfThree(STEP_COLUMNS, SUM_ONTO_STARTS, STEP_FACTORS + turn * FACTORS);
    product(SUM_COLUMNS, POWER, state);
    reduceSix(state);
    reduceSixOnto(TERM, STEP_COLUMNS, state);
    turn = turn == 2 ? 0 : turn + 1;
    widen(HISTORY + turn * WIDE_ELEMENT, TERM);
  }
  leaveRecurrence(state + LANES_ELEMENT);
}
