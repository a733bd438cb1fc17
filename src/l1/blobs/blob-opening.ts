import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bigUintBytes, readBigUint } from "../../protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../protocol/constants.ts";
import { blobDomain, evaluateBlob } from "./blob-evaluation.ts";
import type { SetupPoints } from "./setup-points.ts";

const { Fr: Scalars } = bls12_381.fields;

/**
 * Value at `z` of a blob's polynomial p (32 bytes) and the KZG proof of it (48 bytes): the commitment to the quotient
 * (p(x) - p(z)) / (x - z) (EIP-4844, compute_kzg_proof_impl). Throws a RangeError for a number that is not below the
 * scalar modulus.
 */
export function openBlob(points: SetupPoints, blob: Uint8Array, z: Uint8Array): { y: Uint8Array; proof: Uint8Array } {
  if (blob.length !== BYTES_PER_BLOB) throw new RangeError(`a blob of ${blob.length} bytes`);
  const words = Array.from({ length: FIELDS_PER_BLOB }, (_, i) => scalar(`word ${i} of a blob`, blob, i * 32));
  const point = scalar("z", z, 0);
  const y = evaluateBlob(blob, point);
  const proof = points.sum(quotient(words, point, y).map((factor, index) => ({ index, factor })));
  return { y: bigUintBytes(y, 32), proof: proof.toBytes(true) };
}

function scalar(what: string, bytes: Uint8Array, at: number): bigint {
  const value = readBigUint(bytes, at, 32);
  if (value >= Scalars.ORDER) throw new RangeError(`${what} is not below the scalar modulus`);
  return value;
}

/** The words of the quotient polynomial. */
function quotient(words: readonly bigint[], z: bigint, y: bigint): bigint[] {
  const roots = blobDomain();
  const own = roots.indexOf(z);
  // invertBatch leaves out zero, which is the difference at a root that is z.
  const inverses = Scalars.invertBatch(roots.map((root) => Scalars.sub(root, z)));
  const factors = words.map((word, i) => (i === own ? 0n : Scalars.mul(Scalars.sub(word, y), inverses[i])));
  if (own < 0) return factors;
  // The limit at z (EIP-4844, compute_quotient_eval_within_domain).
  let limit = 0n;
  for (const [i, factor] of factors.entries()) if (i !== own) limit += Scalars.mul(factor, roots[i]);
  factors[own] = Scalars.mul(Scalars.neg(Scalars.create(limit)), Scalars.inv(z));
  return factors;
}
