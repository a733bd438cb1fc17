/**
 * An element with the differences of its digits, for sumOfThree: places 0 to 4 are the digits, the others digit i less
 * digit j with i < j in the order 01 02 03 04 12 13 14 23 24 34. In a factor the differences have the other sign.
 */
export const WIDE_ELEMENT: usize = 240;

/** The three elements that sumOfThree works on. */
export const HISTORY = memory.data(720, 16);

/**
 * element 80 -> wide 240
 */
export function widen(out: usize, element: usize): void {
  const x0 = v128.load(element);
  const x1 = v128.load(element, 16);
  const x2 = v128.load(element, 32);
  const x3 = v128.load(element, 48);
  const x4 = v128.load(element, 64);
  v128.store(out, x0);
  v128.store(out, x1, 16);
  v128.store(out, x2, 32);
  v128.store(out, x3, 48);
  v128.store(out, x4, 64);
  v128.store(out, f64x2.sub(x0, x1), 80);
  v128.store(out, f64x2.sub(x0, x2), 96);
  v128.store(out, f64x2.sub(x0, x3), 112);
  v128.store(out, f64x2.sub(x0, x4), 128);
  v128.store(out, f64x2.sub(x1, x2), 144);
  v128.store(out, f64x2.sub(x1, x3), 160);
  v128.store(out, f64x2.sub(x1, x4), 176);
  v128.store(out, f64x2.sub(x2, x3), 192);
  v128.store(out, f64x2.sub(x2, x4), 208);
  v128.store(out, f64x2.sub(x3, x4), 224);
}

/**
 * element 80 -> factor 240
 */
export function widenFactor(out: usize, element: usize): void {
  widen(out, element);
  for (let i: usize = 80; i < WIDE_ELEMENT; i += 16) v128.store(out + i, f64x2.neg(v128.load(out + i)));
}
