import { foldFive, foldFour } from "../unrolled/folds";
import { COLUMNS } from "./fold";

/*
 * Reduction of columns 0 to 9 of 51 bits to an element. The low columns become digits u_i, all of them at once but for
 * their carries; u_i 2^51i is congruent to (u_i c_i) 2^51n with c_i = 2^51(i-n) mod p, so the sum of the u_i c_i
 * replaces the n low columns. Column n then vanishes with the multiple m of p that Montgomery takes, and the columns
 * above it are the result.
 *
 *   n = 4, "five": the result is T / 2^255, below |T| / 2^255 + (0.51 + 0.5) p in size
 *   n = 5, "six":  the result is T / 2^306, below |T| / 2^306 + (0.56 + 0.5) p: as good as independent of T
 *
 * 0.51 and 0.56 are half of the sum of |c_i| / p. m p_0 is high and low part: the low part only clears column n, whose
 * digit is its opposite, so that the carry is column n + 2^50 - 1 shifted (not + 2^50: when the digit is 2^50 in size,
 * m is -2^50, and the fused sum, a tie, goes to the even multiple, which leaves -2^50). So this column starts with one
 * less than the others.
 */

/**
 * T / 2^255.
 *
 *   COLUMNS 0 .. 9 -> out 80
 */
export function reduceFive(out: usize): void {
  foldFour(out);
}

/**
 * T / 2^306.
 *
 *   COLUMNS 0 .. 9 -> out 80
 */
export function reduceSix(out: usize): void {
  foldFive(out, COLUMNS, 0, false);
}

/**
 * T / 2^306 + addend.
 *
 *   columns 11 x 16, 10 of them T, overwritten | addend 80 -> out 80
 */
export function reduceSixOnto(out: usize, columns: usize, addend: usize): void {
  foldFive(out, columns, addend, true);
}
