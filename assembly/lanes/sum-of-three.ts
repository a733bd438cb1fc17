import { add, bothOnes, high, highOfTwo, highOnes, low, lowOfTwo } from "./arithmetic";
import { HISTORY, WIDE_ELEMENT } from "./wide";

/** High parts by place, and columns of the products of equal digits. */
const HIGHS = memory.data(240, 16);
const SQUARES = memory.data(96, 16);

/**
 * Low parts of the products of place n of the history with three factors, summed; their high parts go to HIGHS. Digits
 * are small enough to add up two of the products before they are split.
 */
@inline
function digitProducts(n: usize, y0: v128, y1: v128, y2: v128, h: v128, l: v128): v128 {
  const x0 = v128.load(HISTORY + (n << 4));
  const x1 = v128.load(HISTORY + WIDE_ELEMENT + (n << 4));
  const x2 = v128.load(HISTORY + 2 * WIDE_ELEMENT + (n << 4));
  v128.store(HIGHS + (n << 4), add(highOfTwo(x0, y0, x1, y1, h), high(x2, y2, h)));
  return add(lowOfTwo(x0, y0, x1, y1, h, l), low(x2, y2, h, l));
}

/** The same for a position with a difference of digits. */
@inline
function differenceProducts(n: usize, y0: v128, y1: v128, y2: v128, h: v128, l: v128): v128 {
  const x0 = v128.load(HISTORY + (n << 4));
  const x1 = v128.load(HISTORY + WIDE_ELEMENT + (n << 4));
  const x2 = v128.load(HISTORY + 2 * WIDE_ELEMENT + (n << 4));
  v128.store(HIGHS + (n << 4), add(add(high(x0, y0, h), high(x1, y1, h)), high(x2, y2, h)));
  return add(add(low(x0, y0, h, l), low(x1, y1, h, l)), low(x2, y2, h, l));
}

@inline
function highs(n: usize): v128 {
  return v128.load(HIGHS + (n << 4));
}

/**
 * Columns of the sum of three elements times three factors, by Karatsuba's method: a_i b_j + a_j b_i is a_i b_i + a_j
 * b_j + (a_i - a_j) (b_j - b_i), so 15 products of digits do for 25. Column k takes the a_i b_i of all i that are part
 * of an i + j = k: a running sum over k. Columns with two pairs i, j are stored in between to keep registers free.
 *
 *   starts 10 x 16 | factors 3 x 240 | HISTORY -> columns 10 x 16
 *
 * Digits of the elements below 2^50 in size but for the top ones, which are below 2^50.7 (2.1 p), and factors below p /
 * 2: then differences multiply to less than 2^102.
 */
export function sumOfThree(columns: usize, starts: usize, factors: usize): void {
  const h = highOnes();
  const l = bothOnes();
  v128.store(SQUARES, digitProducts(0, v128.load(factors), v128.load(factors, 240), v128.load(factors, 480), h, l));
  v128.store(SQUARES, add(highs(0), digitProducts(1, v128.load(factors, 16), v128.load(factors, 256), v128.load(factors, 496), h, l)), 16);
  v128.store(SQUARES, add(highs(1), digitProducts(2, v128.load(factors, 32), v128.load(factors, 272), v128.load(factors, 512), h, l)), 32);
  v128.store(SQUARES, add(highs(2), digitProducts(3, v128.load(factors, 48), v128.load(factors, 288), v128.load(factors, 528), h, l)), 48);
  v128.store(SQUARES, add(highs(3), digitProducts(4, v128.load(factors, 64), v128.load(factors, 304), v128.load(factors, 544), h, l)), 64);
  v128.store(SQUARES, highs(4), 80);
  let sum = v128.load(SQUARES);
  let t = add(v128.load(starts), sum);
  v128.store(columns, t);
  sum = add(sum, v128.load(SQUARES, 16));
  t = add(v128.load(starts, 16), sum);
  t = add(t, differenceProducts(5, v128.load(factors, 80), v128.load(factors, 320), v128.load(factors, 560), h, l));
  v128.store(columns, t, 16);
  sum = add(sum, v128.load(SQUARES, 32));
  t = add(v128.load(starts, 32), sum);
  t = add(t, highs(5));
  t = add(t, differenceProducts(6, v128.load(factors, 96), v128.load(factors, 336), v128.load(factors, 576), h, l));
  v128.store(columns, t, 32);
  sum = add(sum, v128.load(SQUARES, 48));
  t = add(v128.load(starts, 48), sum);
  t = add(t, highs(6));
  t = add(t, differenceProducts(7, v128.load(factors, 112), v128.load(factors, 352), v128.load(factors, 592), h, l));
  v128.store(columns, t, 48);
  t = v128.load(columns, 48);
  t = add(t, differenceProducts(9, v128.load(factors, 144), v128.load(factors, 384), v128.load(factors, 624), h, l));
  v128.store(columns, t, 48);
  sum = add(sum, v128.load(SQUARES, 64));
  t = add(v128.load(starts, 64), sum);
  t = add(t, highs(7));
  t = add(t, highs(9));
  t = add(t, differenceProducts(8, v128.load(factors, 128), v128.load(factors, 368), v128.load(factors, 608), h, l));
  v128.store(columns, t, 64);
  t = v128.load(columns, 64);
  t = add(t, differenceProducts(10, v128.load(factors, 160), v128.load(factors, 400), v128.load(factors, 640), h, l));
  v128.store(columns, t, 64);
  sum = add(sum, v128.load(SQUARES, 80));
  sum = i64x2.sub(sum, v128.load(SQUARES));
  t = add(v128.load(starts, 80), sum);
  t = add(t, highs(8));
  t = add(t, highs(10));
  t = add(t, differenceProducts(11, v128.load(factors, 176), v128.load(factors, 416), v128.load(factors, 656), h, l));
  v128.store(columns, t, 80);
  t = v128.load(columns, 80);
  t = add(t, differenceProducts(12, v128.load(factors, 192), v128.load(factors, 432), v128.load(factors, 672), h, l));
  v128.store(columns, t, 80);
  sum = i64x2.sub(sum, v128.load(SQUARES, 16));
  t = add(v128.load(starts, 96), sum);
  t = add(t, highs(11));
  t = add(t, highs(12));
  t = add(t, differenceProducts(13, v128.load(factors, 208), v128.load(factors, 448), v128.load(factors, 688), h, l));
  v128.store(columns, t, 96);
  sum = i64x2.sub(sum, v128.load(SQUARES, 32));
  t = add(v128.load(starts, 112), sum);
  t = add(t, highs(13));
  t = add(t, differenceProducts(14, v128.load(factors, 224), v128.load(factors, 464), v128.load(factors, 704), h, l));
  v128.store(columns, t, 112);
  sum = i64x2.sub(sum, v128.load(SQUARES, 48));
  t = add(v128.load(starts, 128), sum);
  t = add(t, highs(14));
  v128.store(columns, t, 128);
  sum = i64x2.sub(sum, v128.load(SQUARES, 64));
  t = add(v128.load(starts, 144), sum);
  v128.store(columns, t, 144);
}
