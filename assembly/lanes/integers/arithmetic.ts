import { ELEMENT } from "../../field/modulus";

/**
 * Two elements of field/modulus.ts side by side: limb i of both in the 64-bit lanes of vector i. Same form, limbs and
 * bounds. For processors without fused multiply-adds.
 */
export const INTEGERS_ELEMENT: usize = 144;

@inline
export function add(x: v128, y: v128): v128 {
  return i64x2.add(x, y);
}

/** Two limbs as the lower half of a vector of 32-bit integers, as `times` takes them. */
@inline
export function packed(x: v128): v128 {
  return v128.shuffle<u32>(x, x, 0, 2, 0, 2);
}

/** Products of packed limbs. */
@inline
export function times(x: v128, y: v128): v128 {
  return i64x2.extmul_low_i32x4_u(x, y);
}

/**
 * element 72 -> one lane of 144
 */
export function toLane(lane: usize, element: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(lane + (i << 1), load<u64>(element + i));
}

/**
 * one lane of 144 -> element 72
 */
export function fromLane(element: usize, lane: usize): void {
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(element + i, load<u64>(lane + (i << 1)));
}
