import { LANES_ELEMENT } from "./arithmetic";
import { storeStarts } from "./column-starts";
import { product, squareProduct } from "../unrolled/products";
import { reduceFive } from "./reduction";

const MUL_STARTS = memory.data(160, 16);
const SQUARE_STARTS = memory.data(160, 16);

export function deriveMulStarts(): void {
  storeStarts(MUL_STARTS, 1, 0, 0, 5, false);
  storeStarts(SQUARE_STARTS, 0, 1, 0, 5, false);
}

/**
 * out = a * b / R in both lanes.
 *
 *   out 80 | a 80 | b 80       out may be a or b
 *
 * With |a| < A p and |b| < B p the result is below (A B / 2.64 + 1.01) p in size. A B is below 4.2, so that this is
 * below 2.6 p and the top digit below 2^51. The digits of a need not be balanced when b is below p / 2: 0 .. 2^51-1,
 * the top one below 2^52.
 */
export function mulLanes(out: usize, a: usize, b: usize): void {
  product(MUL_STARTS, a, b);
  reduceFive(out);
}

/**
 * out = a * a / R in both lanes, digits balanced; bounds of `mulLanes`, and |a| < 1.9 p.
 *
 *   out 80 | a 80       out may be a
 */
export function squareLanes(out: usize, a: usize): void {
  squareProduct(SQUARE_STARTS, a);
  reduceFive(out);
}

const POWERS = memory.data(320, 16);

/**
 * x^5 of up to four elements in place. They are interleaved: the multiplications of one element depend on each other,
 * not on another's. With |x| < 1.1 p the results are below 1.8 p in absolute value.
 *
 *   elements `bytes`
 */
export function sboxes(elements: usize, bytes: usize): void {
  for (let i: usize = 0; i < bytes; i += LANES_ELEMENT) squareLanes(POWERS + i, elements + i);
  for (let i: usize = 0; i < bytes; i += LANES_ELEMENT) squareLanes(POWERS + i, POWERS + i);
  for (let i: usize = 0; i < bytes; i += LANES_ELEMENT) mulLanes(elements + i, POWERS + i, elements + i);
}
