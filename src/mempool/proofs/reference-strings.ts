import { createHash } from "node:crypto";
import type { ProofProgram } from "../../protocol/generations/transactions.ts";

/** What bb needs to verify proofs: points, x and y of 32 bytes each. */
export interface ReferenceStrings {
  /** The BN254 generator. */
  g1: Uint8Array;
  /** [x]_2 of a ceremony, 128 bytes. */
  g2: Uint8Array;
  grumpkin: Uint8Array;
}

/** Of the BN254 string: [x]_2 of the Aztec Ignition ceremony, on which the network's verification keys rest. */
export const IGNITION_G2: Uint8Array = Buffer.from(
  "0118c4d5b837bcc2bc89b5b398b5974e9f5944073b32078b7e231fec938883b0" +
    "260e01b251f6f1c7e7ff4e580791dee8ea51d87a358e038b4efe30fac09383c1" +
    "22febda3c0c0632a56475b4214e5615e11e6dd3f96e6cea2854a87d4dacc5e55" +
    "04fc6369f7110fe3d25156c1bb9a72859cf2a04641f99ba4ee413c80da6a5fe4",
  "hex",
);
export const BN254_GENERATOR: Uint8Array = Buffer.alloc(64);
BN254_GENERATOR[31] = 1;
BN254_GENERATOR[63] = 2;

/** Points of the Grumpkin string that the inner product argument of a Chonk proof takes. */
const GRUMPKIN_POINTS = 1 << 15;
export const POINT_BYTES = 64;
const SEED = Buffer.from("BARRETENBERG_GRUMPKIN_IPA_CRS");
/** The coordinates' field: the scalar field of BN254. */
const MODULUS = 21888242871839275222246405745257275088548364400416034343698204186575808495617n;
/** The curve is y^2 = x^3 - 17. */
const CONSTANT = -17n;
/** Square roots that are asked for at once: so many that neither side waits, so few that a turn stays short. */
const AT_ONCE = 128;

/** Answers with the root of each value, undefined for one that is not a square. All are 32 bytes, big-endian. */
type SquareRoots = (values: readonly Uint8Array[]) => Promise<(Uint8Array | undefined)[]>;

interface Candidate {
  point: number;
  attempt: number;
  x: Uint8Array;
  ySquared: Uint8Array;
  odd: boolean;
}

/** How hashes become coordinates, by the version of bb (ProofProgram). */
export type PointRule = Pick<ProofProgram, "reducesCoordinates">;

/**
 * The first `count` points of Grumpkin's string, which is hashed from a name and has no secret: for each the first
 * attempt that gives the x coordinate of a point of the curve. bb finds the square roots, a few seconds for all points.
 */
export async function grumpkinPoints(
  squareRoots: SquareRoots,
  rule: PointRule,
  count = GRUMPKIN_POINTS,
): Promise<Uint8Array> {
  const points = new Uint8Array(new SharedArrayBuffer(count * POINT_BYTES));
  let open = Array.from({ length: count }, (_, point) => candidate(rule, point, 0));
  while (open.length > 0) {
    const missing: Candidate[] = [];
    for (let from = 0; from < open.length; from += AT_ONCE) {
      const asked = open.slice(from, from + AT_ONCE);
      const roots = await squareRoots(asked.map(({ ySquared }) => ySquared));
      for (const [i, { point, attempt, x, odd }] of asked.entries()) {
        const root = roots[i];
        if (root === undefined) missing.push(candidate(rule, point, attempt + 1));
        else points.set([...x, ...((root[31] & 1) === (odd ? 1 : 0) ? root : negated(root))], point * POINT_BYTES);
      }
    }
    open = missing;
  }
  return points;
}

/**
 * The hash of a point and an attempt, its four words of 64 bits read from the least significant on, gives x; the top
 * bit gives y's parity. An x that is not below the modulus is reduced, or makes the attempt fail.
 */
function candidate(rule: PointRule, point: number, attempt: number): Candidate {
  const seed = Buffer.alloc(SEED.length + 16);
  SEED.copy(seed);
  seed.writeBigUInt64BE(BigInt(point), SEED.length);
  seed.writeBigUInt64BE(BigInt(attempt), SEED.length + 8);
  const hash = createHash("sha256").update(seed).digest();
  const words = Buffer.concat([24, 16, 8, 0].map((at) => hash.subarray(at, at + 8)));
  const odd = (words[0] & 0x80) !== 0;
  words[0] &= 0x7f;
  const given = toNumber(words);
  if (given >= MODULUS && !rule.reducesCoordinates) return candidate(rule, point, attempt + 1);
  const x = given % MODULUS;
  const ySquared = (x * x * x + CONSTANT + MODULUS) % MODULUS;
  return { point, attempt, x: fieldBytes(x), ySquared: fieldBytes(ySquared), odd };
}

function toNumber(bytes: Uint8Array): bigint {
  return BigInt(`0x${Buffer.from(bytes).toString("hex")}`);
}

function negated(root: Uint8Array): Uint8Array {
  return fieldBytes((MODULUS - toNumber(root)) % MODULUS);
}

function fieldBytes(value: bigint): Uint8Array {
  return Buffer.from(value.toString(16).padStart(64, "0"), "hex");
}
