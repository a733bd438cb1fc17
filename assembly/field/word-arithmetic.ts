import { mul } from "./mul";
import { elementToWord, wordToElement } from "./montgomery-form";
import { ELEMENT } from "./modulus";
import { square } from "./square";
import { modulusLimb } from "./words";

const A = memory.data(72, 8);
const B = memory.data(72, 8);

function loadOperands(a: usize, b: usize): void {
  wordToElement(A, a);
  wordToElement(B, b);
}

/**
 * out = a + b mod p.
 *
 *   a 32 | b 32 -> out 32
 */
export function addWords(out: usize, a: usize, b: usize): void {
  loadOperands(a, b);
  for (let i: usize = 0; i < ELEMENT; i += 8) store<u64>(A + i, load<u64>(A + i) + load<u64>(B + i));
  elementToWord(out, A);
}

/**
 * out = a - b mod p, as a + (2 p - b): signed limbs, brought together by the carry.
 *
 *   a 32 | b 32 -> out 32
 */
export function subtractWords(out: usize, a: usize, b: usize): void {
  loadOperands(a, b);
  let c: i64 = 0;
  for (let i: usize = 0; i < ELEMENT; i += 8) {
    c += load<i64>(A + i) - load<i64>(B + i) + 2 * modulusLimb(i >> 3);
    store<i64>(A + i, i < 64 ? c & 0x1fffffff : c);
    c >>= 29;
  }
  elementToWord(out, A);
}

/**
 * out = a * b mod p.
 *
 *   a 32 | b 32 -> out 32
 */
export function multiplyWords(out: usize, a: usize, b: usize): void {
  loadOperands(a, b);
  mul(A, A, B);
  elementToWord(out, A);
}

/** Bit of p - 2. It differs from p in the lowest limb only (0x10000001). */
function exponentBit(i: u32): u64 {
  const limb = modulusLimb(i / 29) - (i < 29 ? 2 : 0);
  return (limb >> (i % 29)) & 1;
}

/**
 * out = a / b mod p as a * b^(p-2); 0 when b is 0.
 *
 *   a 32 | b 32 -> out 32
 */
export function divideWords(out: usize, a: usize, b: usize): void {
  loadOperands(a, b);
  const inverse = memory.data(72, 8);
  memory.copy(inverse, B, ELEMENT);
  for (let i: i32 = 252; i >= 0; i--) {
    square(inverse, inverse);
    if (exponentBit(i)) mul(inverse, inverse, B);
  }
  mul(A, A, inverse);
  elementToWord(out, A);
}
