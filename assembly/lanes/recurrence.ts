import { ELEMENT } from "../field/modulus";
import { elementToWord } from "../field/montgomery-form";
import { addWords, divideWords, multiplyWords, subtractWords } from "../field/word-arithmetic";
import { DIAGONAL } from "../poseidon2/constants";

/**
 * The partial rounds as a recurrence with two sums of three products a round, neither of which waits for the round's
 * S-box.
 *
 * Round j maps x_j (what enters its S-box) and the elements y_1, y_2, y_3 to
 *
 *   x_j+1 = e s + y_1 + y_2 + y_3 + k_j     s = x_j^5, e = d_0 + 1, k_j the constant of the next round
 *   y_i'  = d_i y_i + y_1 + y_2 + y_3 + s
 *
 * All of it is scaled by m with m^4 = 2^51 e. Then x_j+1 = 2^-51 x_j^5 + y_1 + y_2 + y_3 + m k_j: the product by e is
 * gone, and 2^-51 is what the reduction by 2^306 takes off a product beyond the R of the elements. s taken from that
 * equation gives
 *
 *   y_i' = d_i y_i + g (y_1 + y_2 + y_3) + (x_j+1 - m k_j) / e     g = 1 - 1/e
 *
 * a linear system that is driven by x. In place of the y it keeps the last three terms of
 *
 *   w_j+1 = a_0 w_j + a_1 w_j-1 + a_2 w_j-2 + x_j+1
 *
 * with L^3 - a_0 L^2 - a_1 L - a_2 = prod (L - d_i) - g sum_i prod_k!=i (L - d_k), the characteristic polynomial of the
 * system:
 *
 *   y_i = b_i0 w_j + b_i1 w_j-1 + b_i2 w_j-2     b_i = (1, -(d_k + d_l), d_k d_l) / e, of the two others
 *   y_1 + y_2 + y_3 = c_0 w_j + c_1 w_j-1 + c_2 w_j-2     c the sum of the b_i
 *
 * and back, L^2 taken for w_j, L for w_j-1, 1 for w_j-2 (Lagrange): the coefficient of y_i in w_j-n is e d_i^(2-n) /
 * prod_k!=i (d_i - d_k). The w that is kept leaves out what the constants k contribute; constants.ts adds that.
 */

const WORDS = memory.data(1024, 8);

export const ONE: usize = WORDS;
/** a_0, a_1, a_2. */
export const STEP: usize = WORDS + 32;
/** c_0, c_1, c_2. */
export const SUM: usize = WORDS + 128;
/** b_10, b_11, b_12, b_20, .. */
export const BASIS: usize = WORDS + 224;
/** Coefficients of y_1, y_2, y_3 in w_j, then in w_j-1, then in w_j-2. */
export const ENTRY: usize = WORDS + 512;

const E: usize = WORDS + 800;
const D: usize = WORDS + 832;
const A: usize = WORDS + 928;
const B: usize = WORDS + 960;
const G: usize = WORDS + 992;
const ZERO = memory.data(32, 8);

/** Word i of d_1, d_2, d_3, the index taken mod 3. */
@inline
function d(i: usize): usize {
  return D + ((i % 3) << 5);
}

function deriveBasis(): void {
  for (let i: usize = 0; i < 3; i++) {
    const b = BASIS + i * 96;
    divideWords(b, ONE, E);
    addWords(A, d(i + 1), d(i + 2));
    subtractWords(A, ZERO, A);
    divideWords(b + 32, A, E);
    multiplyWords(A, d(i + 1), d(i + 2));
    divideWords(b + 64, A, E);
    for (let n: usize = 0; n < 96; n += 32) addWords(SUM + n, SUM + n, b + n);
  }
}

/** The c are (3, -2 (d_1 + d_2 + d_3), d_1 d_2 + d_2 d_3 + d_3 d_1) / e, and what g multiplies is e c. */
function deriveStep(): void {
  subtractWords(G, E, ONE);
  for (let n: usize = 0; n < 96; n += 32) multiplyWords(STEP + n, SUM + n, G);
  addWords(A, d(0), d(1));
  addWords(A, A, d(2));
  addWords(STEP, STEP, A);
  multiplyWords(A, SUM + 64, E);
  subtractWords(STEP + 32, STEP + 32, A);
  multiplyWords(A, d(0), d(1));
  multiplyWords(A, A, d(2));
  addWords(STEP + 64, STEP + 64, A);
}

function deriveEntry(): void {
  for (let i: usize = 0; i < 3; i++) {
    const entry = ENTRY + (i << 5);
    subtractWords(A, d(i), d(i + 1));
    subtractWords(B, d(i), d(i + 2));
    multiplyWords(A, A, B);
    divideWords(entry + 192, E, A);
    multiplyWords(entry + 96, entry + 192, d(i));
    multiplyWords(entry, entry + 96, d(i));
  }
}

export function deriveRecurrence(): void {
  store<u8>(ONE, 1, 31);
  elementToWord(E, DIAGONAL);
  addWords(E, E, ONE);
  for (let i: usize = 0; i < 3; i++) elementToWord(d(i), DIAGONAL + (i + 1) * ELEMENT);
  deriveBasis();
  deriveStep();
  deriveEntry();
}

/** out = sum of three products of words. `out` may not be one of them. */
export function dot(out: usize, coefficients: usize, terms: usize): void {
  multiplyWords(out, coefficients, terms);
  multiplyWords(A, coefficients + 32, terms + 32);
  addWords(out, out, A);
  multiplyWords(A, coefficients + 64, terms + 64);
  addWords(out, out, A);
}
