import { deriveConstants, toBytes } from "./field";
import { ELEMENT } from "./modulus";
import { addAffine, addPoint, AFFINE, doubleTimes, EXTENDED, readAffine, setInfinity } from "./point";

/** Points of the trusted setup, and most terms of a sum. */
const POINTS: usize = 4096;
/** Windows have at most so many bits. */
const MAX_BITS: i32 = 9;
const MIN_BITS: i32 = 3;
const MAX_WINDOWS: usize = 256 / 3 + 1;

const TABLE = heap.alloc(POINTS * AFFINE);
const BUCKETS = heap.alloc((1 << (MAX_BITS - 1)) * EXTENDED);
const INDEXES = heap.alloc(POINTS * 4);
const SCALARS = heap.alloc(POINTS * 32);
/** i16, window by window. */
const DIGITS = heap.alloc(POINTS * MAX_WINDOWS * 2);
const COORDINATES = memory.data(96, 8);
const TOTAL = memory.data(448, 8);
const WINDOW = memory.data(448, 8);
const RUNNING = memory.data(448, 8);
const RESULT = memory.data(192, 8);

/** Computes the constants. Must be called once, first. */
export function initialize(): void {
  deriveConstants();
}

/** Address of the 96 bytes that `setPoint` reads. */
export function coordinatesAt(): usize {
  return COORDINATES;
}

/** How many terms `sum` takes. */
export function maxTerms(): i32 {
  return <i32>POINTS;
}

/** Address of the terms' point numbers, u32 each. */
export function indexesAt(): usize {
  return INDEXES;
}

/** Address of the terms' factors, 32 bytes big-endian each, below 2^255. */
export function scalarsAt(): usize {
  return SCALARS;
}

/** Stores point `index` of the setup, whose x and y were written. Returns false if it is not on the curve. */
export function setPoint(index: usize): bool {
  return readAffine(TABLE + index * AFFINE, COORDINATES);
}

/** Bits of a window for which the sum of so many terms takes the fewest additions. */
function windowBits(count: i32): i32 {
  let best = MIN_BITS;
  let fewest = i32.MAX_VALUE;
  for (let bits = MIN_BITS; bits <= MAX_BITS; bits++) {
    const additions = (256 / bits + 1) * (count + (1 << bits));
    if (additions >= fewest) continue;
    fewest = additions;
    best = bits;
  }
  return best;
}

/** `count` bits of a factor from bit `from` on; bits beyond it are zero. */
function bitsOf(scalar: usize, from: i32, count: i32): i32 {
  let bits: i32 = 0;
  for (let i = 0; i < count; i++) {
    const at = from + i;
    if (at > 255) break;
    bits |= ((<i32>load<u8>(scalar + 31 - (at >> 3)) >> (at & 7)) & 1) << i;
  }
  return bits;
}

/** Writes the factors as digits of -2^(bits - 1) .. 2^(bits - 1). */
function writeDigits(count: i32, bits: i32, windows: i32): void {
  for (let term = 0; term < count; term++) {
    let carry = 0;
    for (let window = 0; window < windows; window++) {
      let digit = bitsOf(SCALARS + <usize>term * 32, window * bits, bits) + carry;
      carry = digit > 1 << (bits - 1) ? 1 : 0;
      digit -= carry << bits;
      store<i16>(DIGITS + <usize>(window * count + term) * 2, <i16>digit);
    }
  }
}

/** WINDOW = sum of digit * point over the terms: buckets of equal digits, summed from the top. */
function sumWindow(count: i32, bits: i32, window: i32): void {
  const most = 1 << (bits - 1);
  memory.fill(BUCKETS, 0, <usize>most * EXTENDED);
  for (let term = 0; term < count; term++) {
    const digit = <i32>load<i16>(DIGITS + <usize>(window * count + term) * 2);
    if (digit == 0) continue;
    const bucket = BUCKETS + <usize>(abs(digit) - 1) * EXTENDED;
    addAffine(bucket, TABLE + <usize>load<u32>(INDEXES + <usize>term * 4) * AFFINE, digit < 0);
  }
  setInfinity(WINDOW);
  setInfinity(RUNNING);
  for (let i = most - 1; i >= 0; i--) {
    addPoint(RUNNING, BUCKETS + <usize>i * EXTENDED);
    addPoint(WINDOW, RUNNING);
  }
}

/**
 * The sum of factor * point over `count` terms, at most `maxTerms`, by Pippenger's method with signed digits. Returns
 * the address of X, Y, ZZ and ZZZ of the result (point.ts), 48 bytes big-endian each.
 */
export function sum(count: i32): usize {
  const bits = windowBits(count);
  // One bit more than the factors have, for the carry of the digits.
  const windows = 256 / bits + 1;
  writeDigits(count, bits, windows);
  setInfinity(TOTAL);
  for (let window = windows - 1; window >= 0; window--) {
    doubleTimes(TOTAL, bits);
    sumWindow(count, bits, window);
    addPoint(TOTAL, WINDOW);
  }
  for (let i: usize = 0; i < 4; i++) toBytes(RESULT + i * 48, TOTAL + i * ELEMENT);
  return RESULT;
}
