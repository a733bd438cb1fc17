import { bls12_381 } from "@noble/curves/bls12-381.js";
import { readBigUint } from "../../protocol/bytes.ts";
import { FIELDS_PER_BLOB } from "../../protocol/constants.ts";

const { Fr: Scalars } = bls12_381.fields;

/** The roots of unity at which a blob's words are values of its polynomial, in the order of the words (EIP-4844). */
let domain: readonly bigint[] | undefined;

/** Generator of the multiplicative group (EIP-4844, PRIMITIVE_ROOT_OF_UNITY). */
const GENERATOR = 7n;

export function blobDomain(): readonly bigint[] {
  if (domain !== undefined) return domain;
  const root = Scalars.pow(GENERATOR, (Scalars.ORDER - 1n) / BigInt(FIELDS_PER_BLOB));
  const powers = [1n];
  for (let i = 1; i < FIELDS_PER_BLOB; i++) powers.push(Scalars.mul(powers[i - 1], root));
  const bits = Math.log2(FIELDS_PER_BLOB);
  domain = powers.map((_, i) => powers[reverseBits(i, bits)]);
  return domain;
}

function reverseBits(value: number, bits: number): number {
  let reversed = 0;
  for (let i = 0; i < bits; i++) reversed = (reversed << 1) | ((value >> i) & 1);
  return reversed;
}

/**
 * Value at `z` of the polynomial of a blob (up to 4096 words; missing ones are zero), by the barycentric formula
 * (EIP-4844, evaluate_polynomial_in_evaluation_form). Only words that are not zero cost anything.
 */
export function evaluateBlob(words: Uint8Array, z: bigint): bigint {
  const roots = blobDomain();
  const values: { value: bigint; root: bigint }[] = [];
  for (let i = 0; i < words.length / 32; i++) {
    const value = readBigUint(words, i * 32, 32);
    if (z === roots[i]) return value;
    if (value !== 0n) values.push({ value, root: roots[i] });
  }
  if (roots.includes(z)) return 0n;
  const inverses = Scalars.invertBatch(values.map(({ root }) => Scalars.sub(z, root)));
  let sum = 0n;
  for (const [i, { value, root }] of values.entries()) sum += Scalars.mul(Scalars.mul(value, root), inverses[i]);
  const size = BigInt(FIELDS_PER_BLOB);
  const factor = Scalars.div(Scalars.sub(Scalars.pow(z, size), 1n), size);
  return Scalars.mul(Scalars.create(sum), factor);
}
