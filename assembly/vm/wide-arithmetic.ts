import { putSmall, U128 } from "./cell";

/** Arithmetic of U128 cells: w0 and w1. `out` may be an operand. */

@inline
export function putWide(out: usize, w0: u64, w1: u64): void {
  putSmall(out, w0, U128);
  store<u64>(out, w1, 8);
}

export function addWide(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const s0 = a0 + load<u64>(b);
  putWide(out, s0, load<u64>(a, 8) + load<u64>(b, 8) + u64(s0 < a0));
}

export function subtractWide(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const b0 = load<u64>(b);
  putWide(out, a0 - b0, load<u64>(a, 8) - load<u64>(b, 8) - u64(a0 < b0));
}

/** High half of the product of two u64. */
@inline
function high(a: u64, b: u64): u64 {
  const al = a & 0xffffffff;
  const ah = a >> 32;
  const bl = b & 0xffffffff;
  const bh = b >> 32;
  const low = al * bl;
  const middle = ah * bl + (low >> 32);
  const other = al * bh + (middle & 0xffffffff);
  return ah * bh + (middle >> 32) + (other >> 32);
}

export function multiplyWide(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const b0 = load<u64>(b);
  putWide(out, a0 * b0, high(a0, b0) + a0 * load<u64>(b, 8) + load<u64>(a, 8) * b0);
}

/** Floor of a / b; b is not zero. Long division, bit by bit from the highest bit of a. */
export function divideWide(out: usize, a: usize, b: usize): void {
  const a0 = load<u64>(a);
  const a1 = load<u64>(a, 8);
  const b0 = load<u64>(b);
  const b1 = load<u64>(b, 8);
  if ((a1 | b1) == 0) return putWide(out, a0 / b0, 0);
  let r0: u64 = 0;
  let r1: u64 = 0;
  let q0: u64 = 0;
  let q1: u64 = 0;
  for (let i: i32 = a1 == 0 ? 63 : 127; i >= 0; i--) {
    // b may have its top bit set, so the doubled remainder may need a bit more than 128.
    const over = r1 >> 63;
    r1 = (r1 << 1) | (r0 >> 63);
    r0 = (r0 << 1) | (((i >= 64 ? a1 : a0) >> (i & 63)) & 1);
    if (over != 0 || r1 > b1 || (r1 == b1 && r0 >= b0)) {
      const borrow = u64(r0 < b0);
      r0 -= b0;
      r1 -= b1 + borrow;
      if (i >= 64) q1 |= (<u64>1) << (i & 63);
      else q0 |= (<u64>1) << i;
    }
  }
  putWide(out, q0, q1);
}

/** a << b; 0 when b is 128 or more. */
export function shiftLeftWide(out: usize, a: usize, b: usize): void {
  const amount = load<u64>(b);
  const a0 = load<u64>(a);
  if (load<u64>(b, 8) != 0 || amount >= 128) putWide(out, 0, 0);
  else if (amount >= 64) putWide(out, 0, a0 << (amount & 63));
  else if (amount == 0) putWide(out, a0, load<u64>(a, 8));
  else putWide(out, a0 << amount, (load<u64>(a, 8) << amount) | (a0 >> (64 - amount)));
}

/** a >> b; 0 when b is 128 or more. */
export function shiftRightWide(out: usize, a: usize, b: usize): void {
  const amount = load<u64>(b);
  const a1 = load<u64>(a, 8);
  if (load<u64>(b, 8) != 0 || amount >= 128) putWide(out, 0, 0);
  else if (amount >= 64) putWide(out, a1 >> (amount & 63), 0);
  else if (amount == 0) putWide(out, load<u64>(a), a1);
  else putWide(out, (load<u64>(a) >> amount) | (a1 << (64 - amount)), a1 >> amount);
}
