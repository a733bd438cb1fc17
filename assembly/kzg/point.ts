import { add, copy, fromBytes, isLiteralZero, isZero, ONE, subtract } from "./field";
import { ELEMENT } from "./modulus";
import { mul } from "./mul";

/**
 * Points of BLS12-381's G1, y^2 = x^3 + 4 (EIP-2537).
 *
 *   affine       x 112 | y 112
 *   extended     X 112 | Y 112 | ZZ 112 | ZZZ 112      x = X / ZZ, y = Y / ZZZ, ZZ^3 = ZZZ^2
 *
 * The point at infinity is extended, with zeros for ZZ. Formulas: hyperelliptic.org/EFD, short Weierstrass, "xyzz". All
 * coordinates are below 6 p. Two bounds make that so: differences of products add 4 p, other differences 8 p.
 */
export const AFFINE: usize = 2 * ELEMENT;
export const EXTENDED: usize = 4 * ELEMENT;

const Y: usize = ELEMENT;
const ZZ: usize = 2 * ELEMENT;
const ZZZ: usize = 3 * ELEMENT;

const U = memory.data(112, 8);
const S = memory.data(112, 8);
const DX = memory.data(112, 8);
const DY = memory.data(112, 8);
const SQUARE = memory.data(112, 8);
const CUBE = memory.data(112, 8);
const Q = memory.data(112, 8);
const T = memory.data(112, 8);

@inline
export function setInfinity(point: usize): void {
  memory.fill(point, 0, EXTENDED);
}

@inline
export function isInfinity(point: usize): bool {
  return isLiteralZero(point + ZZ);
}

/** point = affine, or its negative. */
function setAffine(point: usize, affine: usize, negative: bool): void {
  copy(point, affine);
  affineY(point + Y, affine, negative);
  copy(point + ZZ, ONE);
  copy(point + ZZZ, ONE);
}

function affineY(out: usize, affine: usize, negative: bool): void {
  copy(out, affine + Y);
  if (!negative) return;
  memory.fill(T, 0, ELEMENT);
  subtract(out, T, out, 4);
}

/** With T below 4 p and products q and last: X = DY^2 - T, Y = DY * (q - X) - last. */
function finish(point: usize, q: usize, last: usize): void {
  mul(point, DY, DY);
  subtract(point, point, T, 4);
  subtract(T, q, point, 8);
  mul(point + Y, DY, T);
  subtract(point + Y, point + Y, last, 4);
}

/** point = 2 point. */
function double(point: usize): void {
  if (isInfinity(point)) return;
  add(U, point + Y, point + Y);
  mul(SQUARE, U, U);
  mul(CUBE, U, SQUARE);
  mul(Q, point, SQUARE);
  mul(T, point, point);
  add(DY, T, T);
  add(DY, DY, T);
  mul(S, CUBE, point + Y);
  add(T, Q, Q);
  finish(point, Q, S);
  mul(point + ZZ, point + ZZ, SQUARE);
  mul(point + ZZZ, point + ZZZ, CUBE);
}

/** point = 2^times * point. */
export function doubleTimes(point: usize, times: i32): void {
  for (let i = 0; i < times; i++) double(point);
}

/**
 * The rest of an addition, with x and y of the first point in U and S and the differences of the second from the first
 * in DX and DY, all over the product of both denominators. ZZ and ZZZ of `point` are that product already.
 */
function completeSum(point: usize): void {
  mul(SQUARE, DX, DX);
  mul(CUBE, DX, SQUARE);
  mul(Q, U, SQUARE);
  mul(S, S, CUBE);
  add(T, Q, Q);
  add(T, T, CUBE);
  finish(point, Q, S);
  mul(point + ZZ, point + ZZ, SQUARE);
  mul(point + ZZZ, point + ZZZ, CUBE);
}

/** Doubles or clears `point` if the other point is the same or its negative. Returns whether it was either. */
function addedSame(point: usize): bool {
  if (!isZero(DX)) return false;
  if (isZero(DY)) double(point);
  else setInfinity(point);
  return true;
}

/** point = point + affine, or point - affine. */
export function addAffine(point: usize, affine: usize, negative: bool): void {
  if (isInfinity(point)) {
    setAffine(point, affine, negative);
    return;
  }
  mul(DX, affine, point + ZZ);
  subtract(DX, DX, point, 8);
  affineY(DY, affine, negative);
  mul(DY, DY, point + ZZZ);
  subtract(DY, DY, point + Y, 8);
  if (addedSame(point)) return;
  copy(U, point);
  copy(S, point + Y);
  completeSum(point);
}

/** point = point + other. */
export function addPoint(point: usize, other: usize): void {
  if (isInfinity(other)) return;
  if (isInfinity(point)) {
    memory.copy(point, other, EXTENDED);
    return;
  }
  mul(U, point, other + ZZ);
  mul(DX, other, point + ZZ);
  subtract(DX, DX, U, 4);
  mul(S, point + Y, other + ZZZ);
  mul(DY, other + Y, point + ZZZ);
  subtract(DY, DY, S, 4);
  if (addedSame(point)) return;
  mul(point + ZZ, point + ZZ, other + ZZ);
  mul(point + ZZZ, point + ZZZ, other + ZZZ);
  completeSum(point);
}

/**
 * Reads a point other than infinity. Returns false if it is not on the curve.
 *
 *   bytes 96 (x and y, big-endian) -> affine 224
 */
export function readAffine(affine: usize, bytes: usize): bool {
  fromBytes(affine, bytes);
  fromBytes(affine + Y, bytes + 48);
  mul(T, affine, affine);
  mul(T, T, affine);
  for (let i = 0; i < 4; i++) add(T, T, ONE);
  mul(Q, affine + Y, affine + Y);
  subtract(Q, Q, T, 8);
  return isZero(Q);
}
