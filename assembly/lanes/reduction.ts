import { divideWords } from "../field/word-arithmetic";
import {
  add,
  asInteger,
  bothOnes,
  carried,
  CARRIED_BIAS,
  digit,
  digitMask,
  digitOnes,
  HALF,
  high,
  highOfTwo,
  highOnes,
  low,
  LOW_BITS,
  lowOnes,
  lowOfTwo,
  MODULUS,
  quotient,
  start,
  unitBits,
} from "./arithmetic";
import { balancedDigits } from "./digits";

/**
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

/** Columns of a product, and one more that the fold of five digits reaches. */
export const COLUMNS = memory.data(176, 16);

/** 2^51i mod p for i = -5 .. -1, balanced, in both lanes. */
const FOLD = memory.data(400, 16);

/** m of the reduction in progress. */
const QUOTIENT = memory.data(16, 16);

/** Column 10 collects the high parts of five folded digits and of m p, and ends as a double. */
const LAST_START: u64 = start(0, 4) - CARRIED_BIAS + LOW_BITS;

const POWER = memory.data(32, 8);
const DIGIT = memory.data(32, 8);

export function deriveFold(): void {
  store<u8>(POWER, 1, 31);
  store<u8>(DIGIT, 1 << 3, 25);
  for (let i: isize = 4; i >= 0; i--) {
    divideWords(POWER, POWER, DIGIT);
    balancedDigits(FOLD + <usize>i * 80, POWER);
  }
}

/**
 * Computes m from column n, which is complete, and leaves the column's carry in its place. Stored so that the compiler
 * does not move it behind the columns above, which it does not wait for.
 */
@inline
function takeLowest(column: usize, t0: v128): void {
  v128.store(QUOTIENT, quotient(t0, digitMask(), unitBits(), digitOnes()));
  v128.store(column, carried(t0));
}

/**
 * Adds m p to the columns above column n, at `columns`, and stores their digits, plus an addend. A carry is added last,
 * since each waits for the one before.
 */
@inline
function finish(out: usize, columns: usize, addend: usize, adds: bool): void {
  const h = highOnes();
  const l = bothOnes();
  const mask = digitMask();
  const unit = unitBits();
  const ones = digitOnes();
  const m = v128.load(QUOTIENT);
  const p0 = v128.load(MODULUS);
  const p1 = v128.load(MODULUS, 16);
  const p2 = v128.load(MODULUS, 32);
  const p3 = v128.load(MODULUS, 48);
  const p4 = v128.load(MODULUS, 64);
  let t1 = add(add(v128.load(columns, 16), high(m, p0, h)), low(m, p1, h, l));
  if (adds) t1 = add(t1, asInteger(addend, 0));
  t1 = add(t1, v128.load(columns));
  v128.store(out, digit(t1, mask, unit, ones));
  let t2 = add(add(v128.load(columns, 32), high(m, p1, h)), low(m, p2, h, l));
  if (adds) t2 = add(t2, asInteger(addend, 1));
  t2 = add(t2, carried(t1));
  v128.store(out, digit(t2, mask, unit, ones), 16);
  let t3 = add(add(v128.load(columns, 48), high(m, p2, h)), low(m, p3, h, l));
  if (adds) t3 = add(t3, asInteger(addend, 2));
  t3 = add(t3, carried(t2));
  v128.store(out, digit(t3, mask, unit, ones), 32);
  let t4 = add(add(v128.load(columns, 64), high(m, p3, h)), low(m, p4, h, l));
  if (adds) t4 = add(t4, asInteger(addend, 3));
  t4 = add(t4, carried(t3));
  v128.store(out, digit(t4, mask, unit, ones), 48);
  let t5 = add(v128.load(columns, 80), high(m, p4, h));
  if (adds) t5 = add(t5, asInteger(addend, 4));
  t5 = add(t5, carried(t4));
  v128.store(out, f64x2.sub(t5, lowOnes()), 64);
}

/**
 * T / 2^255. Each column is stored before the high parts go to the next one, so that no more than these wait in
 * registers.
 *
 *   COLUMNS 0 .. 9 -> out 80
 */
export function reduceFive(out: usize): void {
  const h = highOnes();
  const l = bothOnes();
  const mask = digitMask();
  const unit = unitBits();
  const ones = digitOnes();
  const t0 = v128.load(COLUMNS);
  const u0 = digit(t0, mask, unit, ones);
  const t1 = add(v128.load(COLUMNS, 16), carried(t0));
  const u1 = digit(t1, mask, unit, ones);
  const t2 = add(v128.load(COLUMNS, 32), carried(t1));
  const u2 = digit(t2, mask, unit, ones);
  const t3 = add(v128.load(COLUMNS, 48), carried(t2));
  const u3 = digit(t3, mask, unit, ones);
  const c00 = v128.load(FOLD, 80);
  const c10 = v128.load(FOLD, 160);
  const c20 = v128.load(FOLD, 240);
  const c30 = v128.load(FOLD, 320);
  let t = add(v128.load(COLUMNS, 64), carried(t3));
  t = add(t, lowOfTwo(u0, c00, u1, c10, h, l));
  t = add(t, lowOfTwo(u2, c20, u3, c30, h, l));
  takeLowest(COLUMNS + 64, t);
  t = v128.load(COLUMNS, 80);
  t = add(t, highOfTwo(u0, c00, u1, c10, h));
  t = add(t, highOfTwo(u2, c20, u3, c30, h));
  v128.store(COLUMNS, t, 80);
  const c01 = v128.load(FOLD, 96);
  const c11 = v128.load(FOLD, 176);
  const c21 = v128.load(FOLD, 256);
  const c31 = v128.load(FOLD, 336);
  t = v128.load(COLUMNS, 80);
  t = add(t, lowOfTwo(u0, c01, u1, c11, h, l));
  t = add(t, lowOfTwo(u2, c21, u3, c31, h, l));
  v128.store(COLUMNS, t, 80);
  t = v128.load(COLUMNS, 96);
  t = add(t, highOfTwo(u0, c01, u1, c11, h));
  t = add(t, highOfTwo(u2, c21, u3, c31, h));
  v128.store(COLUMNS, t, 96);
  const c02 = v128.load(FOLD, 112);
  const c12 = v128.load(FOLD, 192);
  const c22 = v128.load(FOLD, 272);
  const c32 = v128.load(FOLD, 352);
  t = v128.load(COLUMNS, 96);
  t = add(t, lowOfTwo(u0, c02, u1, c12, h, l));
  t = add(t, lowOfTwo(u2, c22, u3, c32, h, l));
  v128.store(COLUMNS, t, 96);
  t = v128.load(COLUMNS, 112);
  t = add(t, highOfTwo(u0, c02, u1, c12, h));
  t = add(t, highOfTwo(u2, c22, u3, c32, h));
  v128.store(COLUMNS, t, 112);
  const c03 = v128.load(FOLD, 128);
  const c13 = v128.load(FOLD, 208);
  const c23 = v128.load(FOLD, 288);
  const c33 = v128.load(FOLD, 368);
  t = v128.load(COLUMNS, 112);
  t = add(t, lowOfTwo(u0, c03, u1, c13, h, l));
  t = add(t, lowOfTwo(u2, c23, u3, c33, h, l));
  v128.store(COLUMNS, t, 112);
  t = v128.load(COLUMNS, 128);
  t = add(t, highOfTwo(u0, c03, u1, c13, h));
  t = add(t, highOfTwo(u2, c23, u3, c33, h));
  v128.store(COLUMNS, t, 128);
  const c04 = v128.load(FOLD, 144);
  const c14 = v128.load(FOLD, 224);
  const c24 = v128.load(FOLD, 304);
  const c34 = v128.load(FOLD, 384);
  t = v128.load(COLUMNS, 128);
  t = add(t, lowOfTwo(u0, c04, u1, c14, h, l));
  t = add(t, lowOfTwo(u2, c24, u3, c34, h, l));
  v128.store(COLUMNS, t, 128);
  t = v128.load(COLUMNS, 144);
  t = add(t, highOfTwo(u0, c04, u1, c14, h));
  t = add(t, highOfTwo(u2, c24, u3, c34, h));
  v128.store(COLUMNS, t, 144);
  finish(out, COLUMNS + 64, 0, false);
}

@inline
function six(out: usize, columns: usize, addend: usize, adds: bool): void {
  const h = highOnes();
  const l = bothOnes();
  const mask = digitMask();
  const unit = unitBits();
  const ones = digitOnes();
  const t0 = v128.load(columns);
  const u0 = digit(t0, mask, unit, ones);
  const t1 = add(v128.load(columns, 16), carried(t0));
  const u1 = digit(t1, mask, unit, ones);
  const t2 = add(v128.load(columns, 32), carried(t1));
  const u2 = digit(t2, mask, unit, ones);
  const t3 = add(v128.load(columns, 48), carried(t2));
  const u3 = digit(t3, mask, unit, ones);
  const t4 = add(v128.load(columns, 64), carried(t3));
  const u4 = digit(t4, mask, unit, ones);
  const c00 = v128.load(FOLD);
  const c10 = v128.load(FOLD, 80);
  const c20 = v128.load(FOLD, 160);
  const c30 = v128.load(FOLD, 240);
  const c40 = v128.load(FOLD, 320);
  let t = add(v128.load(columns, 80), carried(t4));
  t = add(t, lowOfTwo(u0, c00, u1, c10, h, l));
  t = add(t, lowOfTwo(u2, c20, u3, c30, h, l));
  t = add(t, low(u4, c40, h, l));
  takeLowest(columns + 80, t);
  t = v128.load(columns, 96);
  t = add(t, highOfTwo(u0, c00, u1, c10, h));
  t = add(t, highOfTwo(u2, c20, u3, c30, h));
  t = add(t, high(u4, c40, h));
  v128.store(columns, t, 96);
  const c01 = v128.load(FOLD, 16);
  const c11 = v128.load(FOLD, 96);
  const c21 = v128.load(FOLD, 176);
  const c31 = v128.load(FOLD, 256);
  const c41 = v128.load(FOLD, 336);
  t = v128.load(columns, 96);
  t = add(t, lowOfTwo(u0, c01, u1, c11, h, l));
  t = add(t, lowOfTwo(u2, c21, u3, c31, h, l));
  t = add(t, low(u4, c41, h, l));
  v128.store(columns, t, 96);
  t = v128.load(columns, 112);
  t = add(t, highOfTwo(u0, c01, u1, c11, h));
  t = add(t, highOfTwo(u2, c21, u3, c31, h));
  t = add(t, high(u4, c41, h));
  v128.store(columns, t, 112);
  const c02 = v128.load(FOLD, 32);
  const c12 = v128.load(FOLD, 112);
  const c22 = v128.load(FOLD, 192);
  const c32 = v128.load(FOLD, 272);
  const c42 = v128.load(FOLD, 352);
  t = v128.load(columns, 112);
  t = add(t, lowOfTwo(u0, c02, u1, c12, h, l));
  t = add(t, lowOfTwo(u2, c22, u3, c32, h, l));
  t = add(t, low(u4, c42, h, l));
  v128.store(columns, t, 112);
  t = v128.load(columns, 128);
  t = add(t, highOfTwo(u0, c02, u1, c12, h));
  t = add(t, highOfTwo(u2, c22, u3, c32, h));
  t = add(t, high(u4, c42, h));
  v128.store(columns, t, 128);
  const c03 = v128.load(FOLD, 48);
  const c13 = v128.load(FOLD, 128);
  const c23 = v128.load(FOLD, 208);
  const c33 = v128.load(FOLD, 288);
  const c43 = v128.load(FOLD, 368);
  t = v128.load(columns, 128);
  t = add(t, lowOfTwo(u0, c03, u1, c13, h, l));
  t = add(t, lowOfTwo(u2, c23, u3, c33, h, l));
  t = add(t, low(u4, c43, h, l));
  v128.store(columns, t, 128);
  t = v128.load(columns, 144);
  t = add(t, highOfTwo(u0, c03, u1, c13, h));
  t = add(t, highOfTwo(u2, c23, u3, c33, h));
  t = add(t, high(u4, c43, h));
  v128.store(columns, t, 144);
  const c04 = v128.load(FOLD, 64);
  const c14 = v128.load(FOLD, 144);
  const c24 = v128.load(FOLD, 224);
  const c34 = v128.load(FOLD, 304);
  const c44 = v128.load(FOLD, 384);
  t = v128.load(columns, 144);
  t = add(t, lowOfTwo(u0, c04, u1, c14, h, l));
  t = add(t, lowOfTwo(u2, c24, u3, c34, h, l));
  t = add(t, low(u4, c44, h, l));
  v128.store(columns, t, 144);
  t = i64x2.splat(LAST_START - (adds ? LOW_BITS : 0));
  t = add(t, highOfTwo(u0, c04, u1, c14, h));
  t = add(t, highOfTwo(u2, c24, u3, c34, h));
  t = add(t, high(u4, c44, h));
  v128.store(columns, t, 160);
  finish(out, columns + 80, addend, adds);
}

/**
 * T / 2^306.
 *
 *   COLUMNS 0 .. 9 -> out 80
 */
export function reduceSix(out: usize): void {
  six(out, COLUMNS, 0, false);
}

/**
 * T / 2^306 + addend.
 *
 *   columns 11 x 16, 10 of them T, overwritten | addend 80 -> out 80
 */
export function reduceSixOnto(out: usize, columns: usize, addend: usize): void {
  six(out, columns, addend, true);
}
