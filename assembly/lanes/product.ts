import { add, bothOnes, high, highOfTwo, highOnes, low, lowOfTwo } from "./arithmetic";
import { COLUMNS } from "./reduction";

/**
 * Product scanning: column k of ten collects the low parts of a_i b_j with i + j = k and the high parts of those with i
 * + j = k - 1. Storing each column before the next one begins keeps the operands of one column at a time in registers.
 * Two products are split together (`highOfTwo`) where their sum cannot be too large: digits of a may be up to 2^51
 * beside balanced ones of b, but a_4 up to 2^52, and of a square the doubled digits times the top one leave room for no
 * other.
 */

/**
 * Columns of a * b in both lanes. `starts` may be columns to add to.
 *
 *   starts 10 x 16 | a 80 | b 80 -> COLUMNS
 */
export function product(starts: usize, a: usize, b: usize): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const a2 = v128.load(a, 32);
  const a3 = v128.load(a, 48);
  const a4 = v128.load(a, 64);
  const b0 = v128.load(b);
  const b1 = v128.load(b, 16);
  const b2 = v128.load(b, 32);
  const b3 = v128.load(b, 48);
  const b4 = v128.load(b, 64);
  const h = highOnes();
  const l = bothOnes();
  let t = v128.load(starts);
  t = add(t, low(a0, b0, h, l));
  v128.store(COLUMNS, t);
  t = v128.load(starts, 16);
  t = add(t, high(a0, b0, h));
  t = add(t, lowOfTwo(a0, b1, a1, b0, h, l));
  v128.store(COLUMNS, t, 16);
  t = v128.load(starts, 32);
  t = add(t, highOfTwo(a0, b1, a1, b0, h));
  t = add(t, lowOfTwo(a0, b2, a1, b1, h, l));
  t = add(t, low(a2, b0, h, l));
  v128.store(COLUMNS, t, 32);
  t = v128.load(starts, 48);
  t = add(t, highOfTwo(a0, b2, a1, b1, h));
  t = add(t, high(a2, b0, h));
  t = add(t, lowOfTwo(a0, b3, a1, b2, h, l));
  t = add(t, lowOfTwo(a2, b1, a3, b0, h, l));
  v128.store(COLUMNS, t, 48);
  t = v128.load(starts, 64);
  t = add(t, highOfTwo(a0, b3, a1, b2, h));
  t = add(t, highOfTwo(a2, b1, a3, b0, h));
  t = add(t, lowOfTwo(a0, b4, a1, b3, h, l));
  t = add(t, lowOfTwo(a2, b2, a3, b1, h, l));
  t = add(t, low(a4, b0, h, l));
  v128.store(COLUMNS, t, 64);
  t = v128.load(starts, 80);
  t = add(t, highOfTwo(a0, b4, a1, b3, h));
  t = add(t, highOfTwo(a2, b2, a3, b1, h));
  t = add(t, high(a4, b0, h));
  t = add(t, lowOfTwo(a1, b4, a2, b3, h, l));
  t = add(t, low(a3, b2, h, l));
  t = add(t, low(a4, b1, h, l));
  v128.store(COLUMNS, t, 80);
  t = v128.load(starts, 96);
  t = add(t, highOfTwo(a1, b4, a2, b3, h));
  t = add(t, high(a3, b2, h));
  t = add(t, high(a4, b1, h));
  t = add(t, lowOfTwo(a2, b4, a3, b3, h, l));
  t = add(t, low(a4, b2, h, l));
  v128.store(COLUMNS, t, 96);
  t = v128.load(starts, 112);
  t = add(t, highOfTwo(a2, b4, a3, b3, h));
  t = add(t, high(a4, b2, h));
  t = add(t, low(a3, b4, h, l));
  t = add(t, low(a4, b3, h, l));
  v128.store(COLUMNS, t, 112);
  t = v128.load(starts, 128);
  t = add(t, high(a3, b4, h));
  t = add(t, high(a4, b3, h));
  t = add(t, low(a4, b4, h, l));
  v128.store(COLUMNS, t, 128);
  t = v128.load(starts, 144);
  t = add(t, high(a4, b4, h));
  v128.store(COLUMNS, t, 144);
}

/**
 * Columns of a * a in both lanes, mixed products from doubled digits, so that digits must be balanced.
 *
 *   starts 10 x 16 | a 80 -> COLUMNS
 */
export function squareProduct(starts: usize, a: usize): void {
  const a0 = v128.load(a);
  const a1 = v128.load(a, 16);
  const a2 = v128.load(a, 32);
  const a3 = v128.load(a, 48);
  const a4 = v128.load(a, 64);
  const d0 = f64x2.add(a0, a0);
  const d1 = f64x2.add(a1, a1);
  const d2 = f64x2.add(a2, a2);
  const d3 = f64x2.add(a3, a3);
  const h = highOnes();
  const l = bothOnes();
  let t = v128.load(starts);
  t = add(t, low(a0, a0, h, l));
  v128.store(COLUMNS, t);
  t = v128.load(starts, 16);
  t = add(t, high(a0, a0, h));
  t = add(t, low(d0, a1, h, l));
  v128.store(COLUMNS, t, 16);
  t = v128.load(starts, 32);
  t = add(t, high(d0, a1, h));
  t = add(t, lowOfTwo(d0, a2, a1, a1, h, l));
  v128.store(COLUMNS, t, 32);
  t = v128.load(starts, 48);
  t = add(t, highOfTwo(d0, a2, a1, a1, h));
  t = add(t, lowOfTwo(d0, a3, d1, a2, h, l));
  v128.store(COLUMNS, t, 48);
  t = v128.load(starts, 64);
  t = add(t, highOfTwo(d0, a3, d1, a2, h));
  t = add(t, low(d0, a4, h, l));
  t = add(t, lowOfTwo(d1, a3, a2, a2, h, l));
  v128.store(COLUMNS, t, 64);
  t = v128.load(starts, 80);
  t = add(t, high(d0, a4, h));
  t = add(t, highOfTwo(d1, a3, a2, a2, h));
  t = add(t, low(d1, a4, h, l));
  t = add(t, low(d2, a3, h, l));
  v128.store(COLUMNS, t, 80);
  t = v128.load(starts, 96);
  t = add(t, high(d1, a4, h));
  t = add(t, high(d2, a3, h));
  t = add(t, lowOfTwo(d2, a4, a3, a3, h, l));
  v128.store(COLUMNS, t, 96);
  t = v128.load(starts, 112);
  t = add(t, highOfTwo(d2, a4, a3, a3, h));
  t = add(t, low(d3, a4, h, l));
  v128.store(COLUMNS, t, 112);
  t = v128.load(starts, 128);
  t = add(t, high(d3, a4, h));
  t = add(t, low(a4, a4, h, l));
  v128.store(COLUMNS, t, 128);
  t = v128.load(starts, 144);
  t = add(t, high(a4, a4, h));
  v128.store(COLUMNS, t, 144);
}
