import { type WeierstrassPoint, weierstrass } from "@noble/curves/abstract/weierstrass.js";
import { bn254 } from "@noble/curves/bn254.js";
import { bigUintBytes, readBigUint } from "./bytes.ts";
import type { Fr } from "./field.ts";

/** Affine coordinates, 32 bytes each. (0, 0) stands for the point at infinity. */
export interface GrumpkinPoint {
  x: Fr;
  y: Fr;
}

/**
 * Grumpkin: y^2 = x^3 - 17 over BN254's scalar field, of order BN254's base modulus
 * (docs/protocol/01-fields-and-hashing.md#14-grumpkin).
 */
const Fr254 = bn254.fields.Fr;
const Fq254 = bn254.fields.Fp;
const Point = weierstrass(
  {
    p: Fr254.ORDER,
    n: Fq254.ORDER,
    h: 1n,
    a: 0n,
    b: Fr254.create(-17n),
    Gx: 1n,
    Gy: 0x2cf135e7506a45d632d270d45f1181294833fc48d823f272cn,
  },
  { Fp: Fr254, Fn: Fq254, allowInfinityPoint: true },
);

function toPoint({ x, y }: GrumpkinPoint): WeierstrassPoint<bigint> {
  return Point.fromAffine({ x: readBigUint(x), y: readBigUint(y) });
}

function fromPoint(point: WeierstrassPoint<bigint>): GrumpkinPoint {
  const { x, y } = point.toAffine();
  return { x: bigUintBytes(x, 32), y: bigUintBytes(y, 32) };
}

export function isOnGrumpkin(point: GrumpkinPoint): boolean {
  try {
    toPoint(point).assertValidity();
    return true;
  } catch {
    return false;
  }
}

/** Sum of two points. Throws if one is not on the curve. */
export function grumpkinAdd(a: GrumpkinPoint, b: GrumpkinPoint): GrumpkinPoint {
  const left = toPoint(a);
  const right = toPoint(b);
  left.assertValidity();
  right.assertValidity();
  return fromPoint(left.add(right));
}

/** Multiple of the generator; the scalar is below the group order. Not constant time: for public values. */
export function grumpkinMulGenerator(scalar: Uint8Array): GrumpkinPoint {
  return fromPoint(Point.BASE.multiplyUnsafe(readBigUint(scalar)));
}
