import { asInteger, LANES_ELEMENT, LOW_BITS } from "./arithmetic";
import { settle } from "./settle";

const SECOND: usize = LANES_ELEMENT;
const THIRD: usize = 2 * LANES_ELEMENT;
const FOURTH: usize = 3 * LANES_ELEMENT;

/** Sums by digit and output, as integers: 5 x (y0, y1, y2, y3) x 16. */
const SUMS = memory.data(320, 16);

/** Digits with LOW_BITS that the coefficients of a row (16, 12, 16 and 12 in sum) and its constant add up to. */
@inline
function withoutBits(sum: v128, coefficients: u64): v128 {
  return i64x2.sub(sum, i64x2.splat((coefficients + 1) * LOW_BITS));
}

/**
 * State times the external matrix plus a row of constants, in both lanes. Values in below 5 p in size, out below 0.6 p.
 *
 *   state 4 x 80, in place | constants 4 x 80
 */
export function externalLayerLanes(state: usize, constants: usize): void {
  for (let i: usize = 0; i < 5; i++) {
    const a = asInteger(state, i);
    const b = asInteger(state + SECOND, i);
    const c = asInteger(state + THIRD, i);
    const d = asInteger(state + FOURTH, i);
    const ab = i64x2.add(a, b);
    const cd = i64x2.add(c, d);
    const b2cd = i64x2.add(i64x2.shl(b, 1), cd);
    const d2ab = i64x2.add(i64x2.shl(d, 1), ab);
    const y3 = i64x2.add(i64x2.shl(cd, 2), d2ab);
    const y1 = i64x2.add(i64x2.shl(ab, 2), b2cd);
    const row = SUMS + (i << 6);
    v128.store(row, withoutBits(i64x2.add(i64x2.add(d2ab, y1), asInteger(constants, i)), 16));
    v128.store(row, withoutBits(i64x2.add(y1, asInteger(constants + SECOND, i)), 12), 16);
    v128.store(row, withoutBits(i64x2.add(i64x2.add(b2cd, y3), asInteger(constants + THIRD, i)), 16), 32);
    v128.store(row, withoutBits(i64x2.add(y3, asInteger(constants + FOURTH, i)), 12), 48);
  }
  for (let n: usize = 0; n < 4; n++) {
    const sum = SUMS + (n << 4);
    settle(
      state + n * LANES_ELEMENT,
      v128.load(sum),
      v128.load(sum, 64),
      v128.load(sum, 128),
      v128.load(sum, 192),
      v128.load(sum, 256),
    );
  }
}
