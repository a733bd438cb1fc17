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
  high,
  highOnes,
  low,
  LOW_BITS,
  lowOnes,
  MODULUS,
  quotient,
  start,
  unitBits,
} from "./arithmetic";
import { balancedDigits } from "./digits";

/** Columns of a product, and one more that the fold of five digits reaches. */
export const COLUMNS = memory.data(176, 16);

/** 2^51i mod p for i = -5 .. -1, balanced, in both lanes. */
export const FOLD = memory.data(400, 16);

/** m of the reduction in progress. */
const QUOTIENT = memory.data(16, 16);

/** Column 10 collects the high parts of five folded digits and of m p, and ends as a double. */
export const LAST_START: u64 = start(0, 4) - CARRIED_BIAS + LOW_BITS;

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
export function takeLowest(column: usize, t0: v128): void {
  v128.store(QUOTIENT, quotient(t0, digitMask(), unitBits(), digitOnes()));
  v128.store(column, carried(t0));
}

/**
 * Adds m p to the columns above column n, at `columns`, and stores their digits, plus an addend. A carry is added last,
 * since each waits for the one before.
 */
@inline
export function finish(out: usize, columns: usize, addend: usize, adds: bool): void {
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
