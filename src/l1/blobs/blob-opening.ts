import { hash } from "node:crypto";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { bigUintBytes, concat, readBigUint } from "../../protocol/bytes.ts";
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
  const words = wordsOf(blob);
  const point = scalar("z", z, 0);
  const y = evaluateBlob(blob, point);
  const proof = points.sum(quotient(words, point, y).map((factor, index) => ({ index, factor })));
  return { y: bigUintBytes(y, 32), proof: proof.toBytes(true) };
}

/** The commitment to a blob (48 bytes). Throws as `openBlob` does. */
export function commitTo(points: SetupPoints, blob: Uint8Array): Uint8Array {
  return points.sum(wordsOf(blob).map((factor, index) => ({ index, factor }))).toBytes(true);
}

/** Prefix of what the challenge of a blob's proof is the hash of (EIP-4844, FIAT_SHAMIR_PROTOCOL_DOMAIN). */
const CHALLENGE_DOMAIN = Buffer.from("FSBLOBVERIFY_V1_");

/**
 * Proof of a blob (48 bytes): that of its opening at a point which the blob and its commitment give (EIP-4844,
 * compute_blob_kzg_proof). Throws as `openBlob` does.
 */
export function proveBlob(points: SetupPoints, blob: Uint8Array, commitment: Uint8Array): Uint8Array {
  const hashed = concat(CHALLENGE_DOMAIN, bigUintBytes(BigInt(FIELDS_PER_BLOB), 16), blob, commitment);
  const z = Scalars.create(readBigUint(new Uint8Array(hash("sha256", hashed, "buffer"))));
  return openBlob(points, blob, bigUintBytes(z, 32)).proof;
}

function wordsOf(blob: Uint8Array): bigint[] {
  if (blob.length !== BYTES_PER_BLOB) throw new RangeError(`a blob of ${blob.length} bytes`);
  return Array.from({ length: FIELDS_PER_BLOB }, (_, i) => scalar(`word ${i} of a blob`, blob, i * 32));
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
