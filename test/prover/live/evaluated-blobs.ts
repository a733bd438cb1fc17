import { bigUintBytes, concat, isZero } from "../../../src/protocol/bytes.ts";
import { FIELDS_PER_BLOB } from "../../../src/protocol/constants.ts";
import { accumulateBlobs } from "../../../src/prover/circuits/blob-accumulation.ts";
import type { CircuitContext } from "../../../src/prover/circuits/circuit-context.ts";
import { ConstraintError } from "../../../src/prover/circuits/layouts/constraint-error.ts";
import { BlobAccumulator } from "../../../src/prover/circuits/layouts/rollups.ts";
import { fieldsOf } from "../../../src/prover/codec/codec.ts";

/**
 * What a simulated checkpoint root asks: number of blobs, their words, number of words in use, hash of the words,
 * commitments, z, gamma, accumulator before the blobs. Integers of other fields are limbs, the lowest first.
 */
export type BlobQuestion = readonly (readonly string[])[];

/** Limbs of a coordinate. */
const COORDINATE_LIMBS = 4;
/** Two coordinates, and whether it is infinity. */
const POINT_FIELDS = 2 * COORDINATE_LIMBS + 1;

/** The accumulator after the blobs, as field elements. Throws a ConstraintError if a value is out of its range. */
export function evaluatedBlobs({ core, generation }: CircuitContext, question: BlobQuestion): Uint8Array {
  const [, words, [count], [wordsHash], points, [z], gamma, start] = question;
  const used = words.slice(0, Number(numberOf(count))).map(bytesOf);
  const blobs = Array.from({ length: Math.ceil(used.length / FIELDS_PER_BLOB) }, (_, i) => ({
    words: concat(...used.slice(i * FIELDS_PER_BLOB, (i + 1) * FIELDS_PER_BLOB)),
    commitment: pointOf(points.slice(i * POINT_FIELDS, (i + 1) * POINT_FIELDS)),
  }));
  const [hash, startZ, ...rest] = start;
  const before: BlobAccumulator = {
    blobCommitmentsHash: bytesOf(hash),
    z: bytesOf(startZ),
    y: integerOf(rest.slice(0, 3), 32),
    c: pointOf(rest.slice(3, 3 + POINT_FIELDS)),
    gamma: bytesOf(rest[3 + POINT_FIELDS]),
    gammaPower: integerOf(rest.slice(4 + POINT_FIELDS), 32),
  };
  const challenges = { z: bytesOf(z), gamma: integerOf(gamma, 32) };
  return fieldsOf(
    BlobAccumulator,
    accumulateBlobs(core, generation.hashing.blobs, before, blobs, bytesOf(wordsHash), challenges),
  );
}

const LIMB_BITS = 120n;

function numberOf(text: string): bigint {
  return BigInt(text.startsWith("0x") ? text : `0x${text}`);
}

function bytesOf(text: string): Uint8Array {
  return bigUintBytes(numberOf(text), 32);
}

function integerOf(limbs: readonly string[], bytes: number): Uint8Array {
  const value = limbs.reduceRight((sum, limb) => (sum << LIMB_BITS) + numberOf(limb), 0n);
  if (value >> BigInt(8 * bytes) !== 0n) throw new ConstraintError("blobs", `an integer has more than ${bytes} bytes`);
  return bigUintBytes(value, bytes);
}

/** Coordinates; zeros for infinity, whatever its members are. */
function pointOf(members: readonly string[]): Uint8Array {
  const [isInfinity] = members.slice(2 * COORDINATE_LIMBS).map(numberOf);
  if (isInfinity !== 0n) return new Uint8Array(96);
  const coordinates = [members.slice(0, COORDINATE_LIMBS), members.slice(COORDINATE_LIMBS, 2 * COORDINATE_LIMBS)];
  const point = concat(...coordinates.map((limbs) => integerOf(limbs, 48)));
  if (isZero(point)) throw new ConstraintError("blobs", "a point that is not infinity has no coordinates");
  return point;
}
