import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bigUintBytes, concat, isZero, readBigUint } from "../../../protocol/bytes.ts";
import { ConstraintError } from "./constraint-error.ts";

const { Point } = bls12_381.G1;
type G1Point = InstanceType<typeof Point>;

const COORDINATE_BYTES = 48;
/** A compressed point as two fields: its first 31 bytes and the other 17. */
const COMPRESSED_SPLIT = 31;

/** A point from its coordinates (96 bytes), all zero for infinity. Throws a ConstraintError about `field`. */
export function pointFromCoordinates(bytes: Uint8Array, field: string): G1Point {
  if (isZero(bytes)) return Point.ZERO;
  try {
    const point = Point.fromAffine({
      x: readBigUint(bytes, 0, COORDINATE_BYTES),
      y: readBigUint(bytes, COORDINATE_BYTES, COORDINATE_BYTES),
    });
    point.assertValidity();
    return point;
  } catch (error) {
    throw new ConstraintError(field, `must be a point of BLS12-381 (${(error as Error).message})`);
  }
}

/** Coordinates of a compressed point (48 bytes). Throws a ConstraintError about `field`. */
export function decompressPoint(bytes: Uint8Array, field: string): Uint8Array {
  try {
    return pointCoordinates(Point.fromBytes(bytes));
  } catch (error) {
    throw new ConstraintError(field, `must be a compressed point of BLS12-381 (${(error as Error).message})`);
  }
}

/** Inverse of decompressPoint. */
export function compressPoint(coordinates: Uint8Array, field: string): Uint8Array {
  return pointFromCoordinates(coordinates, field).toBytes(true);
}

/** Inverse of pointFromCoordinates. */
export function pointCoordinates(point: G1Point): Uint8Array {
  if (point.is0()) return new Uint8Array(2 * COORDINATE_BYTES);
  const { x, y } = point.toAffine();
  return concat(bigUintBytes(x, COORDINATE_BYTES), bigUintBytes(y, COORDINATE_BYTES));
}

/** A compressed point as two fields. */
export function commitmentFields(compressed: Uint8Array): Uint8Array[] {
  return [wordOf(compressed.subarray(0, COMPRESSED_SPLIT)), wordOf(compressed.subarray(COMPRESSED_SPLIT))];
}

/** Up to 31 bytes as a field. */
function wordOf(bytes: Uint8Array): Uint8Array {
  const word = new Uint8Array(32);
  word.set(bytes, 32 - bytes.length);
  return word;
}
