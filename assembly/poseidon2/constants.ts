import { ELEMENT, LIMBS } from "../field/modulus";
import { limbsToElement } from "../field/montgomery-form";
import { isBelowModulus, modulusLimb, wordToLimbs } from "../field/words";
import { drawWord, GRAIN_STATE, seedGrain } from "./grain";

/**
 * Constants of the permutation as elements, placed where the round that is being left adds them (so that an addition is
 * part of the linear layer before it):
 *
 *   FULL     9 rows of 4: added by the linear layer at the start, then after full rounds 0 to 3 and 60 to 63.
 *            The row of round 3 holds the constant of partial round 4 in element 0, the last row is zero.
 *   PARTIAL  56: added to element 0 by the linear layers of rounds 4 to 59; the last one belongs to round 60
 *   TAIL     3: the rest of round 60, for elements 1 to 3
 *   DIAGONAL 4: internal matrix minus the matrix of ones
 */
export const FULL = memory.data(2592, 8);
export const PARTIAL = memory.data(4032, 8);
export const TAIL = memory.data(216, 8);
export const DIAGONAL = memory.data(288, 8);

const GRAIN = memory.data(16, 8);
const DRAW = memory.data(32, 8);

/** Draws a constant below p into `out`. */
function drawConstant(out: usize): void {
  do {
    drawWord(GRAIN, DRAW);
    wordToLimbs(out, DRAW);
  } while (!isBelowModulus(out));
  limbsToElement(out, out);
}

/** Draws D - 1 into `out`. */
function drawDiagonal(out: usize): void {
  drawWord(GRAIN, DRAW);
  wordToLimbs(out, DRAW);
  for (let i: usize = 0; i < <usize>LIMBS; i++) {
    const at = out + (i << 3);
    store<u64>(at, load<u64>(at) + modulusLimb(i) - u64(i == 0));
  }
  limbsToElement(out, out);
}

/** Draws between the round constants and the diagonal: matrices that the generator of the constants discarded. */
const DISCARDED = 16;

/** Derives all constants from the Grain generator (docs/protocol/01-fields-and-hashing.md#15-poseidon2-permutation). */
export function deriveConstants(): void {
  memory.fill(GRAIN, 0, GRAIN_STATE);
  seedGrain(GRAIN);
  for (let i: usize = 0; i < 16; i++) drawConstant(FULL + i * ELEMENT);
  drawConstant(FULL + 16 * ELEMENT);
  for (let i: usize = 0; i < 55; i++) drawConstant(PARTIAL + i * ELEMENT);
  drawConstant(PARTIAL + 55 * ELEMENT);
  for (let i: usize = 0; i < 3; i++) drawConstant(TAIL + i * ELEMENT);
  for (let i: usize = 20; i < 32; i++) drawConstant(FULL + i * ELEMENT);
  for (let i = 0; i < DISCARDED; i++) drawWord(GRAIN, DRAW);
  for (let i: usize = 0; i < 4; i++) drawDiagonal(DIAGONAL + i * ELEMENT);
}
