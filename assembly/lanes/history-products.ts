import { add, high, highOfTwo, low, lowOfTwo } from "./arithmetic";
import { HISTORY, WIDE_ELEMENT } from "./wide";

/** High parts by place, and columns of the products of equal digits. */
const HIGHS = memory.data(240, 16);
export const SQUARES = memory.data(96, 16);

/**
 * Low parts of the products of place n of the history with three factors, summed; their high parts go to HIGHS. Digits
 * are small enough to add up two of the products before they are split.
 */
@inline
export function digitProducts(n: usize, y0: v128, y1: v128, y2: v128, h: v128, l: v128): v128 {
  const x0 = v128.load(HISTORY + (n << 4));
  const x1 = v128.load(HISTORY + WIDE_ELEMENT + (n << 4));
  const x2 = v128.load(HISTORY + 2 * WIDE_ELEMENT + (n << 4));
  v128.store(HIGHS + (n << 4), add(highOfTwo(x0, y0, x1, y1, h), high(x2, y2, h)));
  return add(lowOfTwo(x0, y0, x1, y1, h, l), low(x2, y2, h, l));
}

/** The same for a position with a difference of digits. */
@inline
export function differenceProducts(n: usize, y0: v128, y1: v128, y2: v128, h: v128, l: v128): v128 {
  const x0 = v128.load(HISTORY + (n << 4));
  const x1 = v128.load(HISTORY + WIDE_ELEMENT + (n << 4));
  const x2 = v128.load(HISTORY + 2 * WIDE_ELEMENT + (n << 4));
  v128.store(HIGHS + (n << 4), add(add(high(x0, y0, h), high(x1, y1, h)), high(x2, y2, h)));
  return add(add(low(x0, y0, h, l), low(x1, y1, h, l)), low(x2, y2, h, l));
}

@inline
export function highs(n: usize): v128 {
  return v128.load(HIGHS + (n << 4));
}
