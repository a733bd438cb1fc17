import { randomBytes } from "node:crypto";
import { pippenger } from "@noble/curves/abstract/curve.js";
import { bn254 } from "@noble/curves/bn254.js";
import { readBigUint } from "../../protocol/bytes.ts";

const G1 = bn254.G1.Point;
const G2 = bn254.G2.Point;
export type G1Point = InstanceType<typeof G1>;
type G2Point = InstanceType<typeof G2>;

const COORDINATE_BYTES = 32;

function coordinate(bytes: Uint8Array, index: number): bigint {
  return readBigUint(bytes, index * COORDINATE_BYTES, COORDINATE_BYTES);
}

/** x and y of 32 bytes each. Throws an Error unless they are of a point of the curve other than its zero. */
export function g1Point(bytes: Uint8Array): G1Point {
  const point = G1.fromAffine({ x: coordinate(bytes, 0), y: coordinate(bytes, 1) });
  // Coordinates of 0 stand for zero, as holes of a file would.
  if (point.is0()) throw new RangeError("must not be zero");
  point.assertValidity();
  return point;
}

/** x and y, each as real and imaginary part of 32 bytes. Throws an Error unless they are of a point of the group. */
export function g2Point(bytes: Uint8Array): G2Point {
  const [x, y] = [0, 2].map((at) => ({ c0: coordinate(bytes, at), c1: coordinate(bytes, at + 1) }));
  const point = G2.fromAffine({ x, y });
  point.assertValidity();
  return point;
}

/**
 * Whether in each run of points other than zero each is tau times the one before, for `tauG2` = tau * G2: with random
 * 128-bit r_i, the
 * pairing of sum(r_i * P_i) and tau * G2 must be that of sum(r_i * P_(i+1)) and G2. Wrong points pass with probability
 * 2^-128.
 */
export function arePowers(runs: readonly (readonly G1Point[])[], tauG2: G2Point): boolean {
  const before = runs.flatMap((run) => run.slice(0, -1));
  const after = runs.flatMap((run) => run.slice(1));
  const factors = before.map(() => readBigUint(randomBytes(16)));
  const [left, right] = [before, after].map((points) => pippenger(G1, points, factors));
  if (left.is0() || right.is0()) return false;
  const quotient = bn254.pairingBatch([
    { g1: left, g2: tauG2 },
    { g1: right.negate(), g2: G2.BASE },
  ]);
  return bn254.fields.Fp12.eql(quotient, bn254.fields.Fp12.ONE);
}
