import { add, asInteger, LANES_ELEMENT, LOW_BITS } from "./arithmetic";
import { settle } from "./settle";

/** Digits of the two sums, as integers. */
const SUMS = memory.data(160, 16);

@inline
export function swapped(x: v128): v128 {
  return v128.shuffle<u64>(x, x, 1, 0);
}

@inline
export function lefts(x: v128, y: v128): v128 {
  return v128.shuffle<u64>(x, y, 0, 2);
}

@inline
export function rights(x: v128, y: v128): v128 {
  return v128.shuffle<u64>(x, y, 1, 3);
}

/** LOW_BITS that the coefficients of the even rows (16 in sum), the odd rows (12), and their constants add up to. */
const ROW_BITS = memory.data<u64>([17 * LOW_BITS, 13 * LOW_BITS], 16);

/**
 * State times the external matrix plus a row of constants, for a state that is spread over the lanes: elements (0, 1),
 * (2, 3). Bounds of externalLayerLanes.
 *
 *   state 2 x 80, in place | constants 2 x 80
 */
export function externalLayerPairs(state: usize, constants: usize): void {
  for (let i: usize = 0; i < 5; i++) {
    const first = asInteger(state, i);
    const second = asInteger(state + LANES_ELEMENT, i);
    const sums = add(lefts(first, second), rights(first, second));
    const doubled = add(i64x2.shl(rights(second, first), 1), sums);
    const odd = add(i64x2.shl(sums, 2), swapped(doubled));
    const even = add(doubled, odd);
    const bits = v128.load(ROW_BITS);
    const at = SUMS + (i << 4);
    v128.store(at, i64x2.sub(add(lefts(even, odd), asInteger(constants, i)), bits));
    v128.store(at, i64x2.sub(add(rights(even, odd), asInteger(constants + LANES_ELEMENT, i)), bits), LANES_ELEMENT);
  }
  for (let n: usize = 0; n < 2 * LANES_ELEMENT; n += LANES_ELEMENT) {
    const sum = SUMS + n;
    settle(
      state + n,
      v128.load(sum),
      v128.load(sum, 16),
      v128.load(sum, 32),
      v128.load(sum, 48),
      v128.load(sum, 64),
    );
  }
}
