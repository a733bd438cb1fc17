import { ELEMENT, LIMB_BITS, MASK, P0, P1, P2, P3, P4, P5, P6, P7, P8 } from "../../field/modulus";
import { RECIPROCAL } from "../../field/reduce";
import { DIAGONAL } from "../../poseidon2/constants";
import { add, INTEGERS_ELEMENT, packed, times } from "./arithmetic";
import { product } from "../../unrolled/integer-products";
import { reduceColumnsOnto } from "./reduction";

const SECOND: usize = INTEGERS_ELEMENT;
const THIRD: usize = 2 * INTEGERS_ELEMENT;
const FOURTH: usize = 3 * INTEGERS_ELEMENT;
const BITS = <i32>LIMB_BITS;

/** externalLayer of poseidon2/linear-layers.ts in both lanes; the constants are elements of one. */
export function externalLayerIntegers(state: usize, constants: usize): void {
  const mask = i64x2.splat(MASK);
  let c0 = i64x2.splat(0);
  let c1 = i64x2.splat(0);
  let c2 = i64x2.splat(0);
  let c3 = i64x2.splat(0);
  for (let i: usize = 0; i < ELEMENT; i += 8) {
    const at = state + (i << 1);
    const a = v128.load(at);
    const b = v128.load(at + SECOND);
    const c = v128.load(at + THIRD);
    const d = v128.load(at + FOURTH);
    const ab = add(a, b);
    const cd = add(c, d);
    const b2cd = add(i64x2.shl(b, 1), cd);
    const d2ab = add(i64x2.shl(d, 1), ab);
    const y3 = add(i64x2.shl(cd, 2), d2ab);
    const y1 = add(i64x2.shl(ab, 2), b2cd);
    c0 = add(add(c0, add(d2ab, y1)), v128.load64_splat(constants + i));
    c1 = add(add(c1, y1), v128.load64_splat(constants + i, ELEMENT));
    c2 = add(add(c2, add(b2cd, y3)), v128.load64_splat(constants + i, 2 * ELEMENT));
    c3 = add(add(c3, y3), v128.load64_splat(constants + i, 3 * ELEMENT));
    v128.store(at, v128.and(c0, mask));
    v128.store(at + SECOND, v128.and(c1, mask));
    v128.store(at + THIRD, v128.and(c2, mask));
    v128.store(at + FOURTH, v128.and(c3, mask));
    c0 = i64x2.shr_u(c0, BITS);
    c1 = i64x2.shr_u(c1, BITS);
    c2 = i64x2.shr_u(c2, BITS);
    c3 = i64x2.shr_u(c3, BITS);
  }
}

const SUM = memory.data(144, 16);
const SUM_AND_CONSTANT = memory.data(144, 16);
/** The diagonal in both lanes. */
const FACTORS = memory.data(576, 16);

export function deriveIntegersDiagonal(): void {
  for (let i: usize = 0; i < 4 * ELEMENT; i += 8) v128.store(FACTORS + (i << 1), v128.load64_splat(DIAGONAL + i));
}

@inline
function sumLimb(state: usize, i: usize): v128 {
  const at = state + (i << 4);
  return add(add(v128.load(at), v128.load(at + SECOND)), add(v128.load(at + THIRD), v128.load(at + FOURTH)));
}

@inline
function storeSum(i: usize, limb: v128, constant: usize): void {
  v128.store(SUM + (i << 4), limb);
  v128.store(SUM_AND_CONSTANT + (i << 4), add(limb, v128.load64_splat(constant + (i << 3))));
}

@inline
function step(c: v128, state: usize, i: usize, k: v128, p: u64, constant: usize): v128 {
  const t = i64x2.sub(add(c, sumLimb(state, i)), times(k, i32x4.splat(<i32>p)));
  storeSum(i, v128.and(t, i64x2.splat(MASK)), constant);
  return i64x2.shr_s(t, BITS);
}

function sumState(state: usize, constant: usize): void {
  const top = sumLimb(state, 8);
  const k = packed(i64x2.shr_u(times(packed(top), i32x4.splat(<i32>RECIPROCAL)), 44));
  let c = step(i64x2.splat(0), state, 0, k, P0, constant);
  c = step(c, state, 1, k, P1, constant);
  c = step(c, state, 2, k, P2, constant);
  c = step(c, state, 3, k, P3, constant);
  c = step(c, state, 4, k, P4, constant);
  c = step(c, state, 5, k, P5, constant);
  c = step(c, state, 6, k, P6, constant);
  c = step(c, state, 7, k, P7, constant);
  storeSum(8, i64x2.sub(add(c, top), times(k, i32x4.splat(<i32>P8))), constant);
}

/** internalLayer of poseidon2/linear-layers.ts in both lanes. */
export function internalLayerIntegers(state: usize, constant: usize): void {
  sumState(state, constant);
  for (let i: usize = SECOND; i <= FOURTH; i += SECOND) {
    product(state + i, FACTORS + i);
    reduceColumnsOnto(state + i, SUM);
  }
  product(state, FACTORS);
  reduceColumnsOnto(state, SUM_AND_CONSTANT);
}
