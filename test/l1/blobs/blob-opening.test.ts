import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { blobDomain } from "../../../src/l1/blobs/blob-evaluation.ts";
import { commitTo, openBlob, proveBlob } from "../../../src/l1/blobs/blob-opening.ts";
import { Kzg } from "../../../src/l1/blobs/kzg.ts";
import { SetupPoints } from "../../../src/l1/blobs/setup-points.ts";
import { bigUintBytes, toHex } from "../../../src/protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../../src/protocol/constants.ts";

const MODULUS = bls12_381.fields.Fr.ORDER;

interface Opening {
  y: Uint8Array;
  proof: Uint8Array;
}
const texts = ({ y, proof }: Opening) => ({ y: toHex(y), proof: toHex(proof) });

let points: SetupPoints;
let context: DasContextJs;
let library: (blob: Uint8Array, z: Uint8Array) => Opening;
beforeAll(() => {
  points = new SetupPoints();
  context = DasContextJs.create({ usePrecomp: false });
  library = (blob, z) => {
    const [proof, y] = context.computeKzgProof(blob, z);
    return { y, proof };
  };
});

function blobOf(word: (index: number) => bigint): Uint8Array {
  const blob = new Uint8Array(BYTES_PER_BLOB);
  for (let i = 0; i < FIELDS_PER_BLOB; i++) blob.set(bigUintBytes(word(i), 32), i * 32);
  return blob;
}

/** Words that use all bits, from one number. */
const mixed = (seed: bigint) => blobOf((i) => (seed * BigInt(i + 1) ** 7n) % MODULUS);

const scalar = fc.bigInt({ min: 0n, max: MODULUS - 1n });

test("value and proof are those of the library, for any blob and point", () => {
  fc.assert(
    fc.property(scalar, scalar, fc.integer({ min: 0, max: FIELDS_PER_BLOB }), (seed, z, length) => {
      const blob = mixed(seed);
      blob.fill(0, length * 32);
      const point = bigUintBytes(z, 32);
      expect(texts(openBlob(points, blob, point))).toEqual(texts(library(blob, point)));
    }),
    { numRuns: 8 },
  );
});

test("a point that belongs to a word opens to that word, with the library's proof", () => {
  const blob = mixed(MODULUS - 12_345n);
  for (const index of [0, 1, 2077, FIELDS_PER_BLOB - 1]) {
    const z = bigUintBytes(blobDomain()[index], 32);
    const opening = openBlob(points, blob, z);
    expect(opening.y).toEqual(blob.subarray(index * 32, (index + 1) * 32));
    expect(texts(opening)).toEqual(texts(library(blob, z)));
  }
});

test("the commitment and the proof of a blob are the library's, for any blob", () => {
  fc.assert(
    fc.property(scalar, fc.integer({ min: 0, max: FIELDS_PER_BLOB }), (seed, length) => {
      const blob = mixed(seed);
      blob.fill(0, length * 32);
      const commitment = context.blobToKzgCommitment(blob);
      expect(toHex(commitTo(points, blob))).toBe(toHex(commitment));
      expect(toHex(proveBlob(points, blob, commitment))).toBe(toHex(context.computeBlobKzgProof(blob, commitment)));
    }),
    { numRuns: 8 },
  );
});

test("a blob whose words are all the same has the point at infinity as proof", () => {
  const z = bigUintBytes(5n, 32);
  for (const word of [0n, 1n, MODULUS - 1n]) {
    const blob = blobOf(() => word);
    expect(texts(openBlob(points, blob, z))).toEqual({
      y: toHex(bigUintBytes(word, 32)),
      proof: `0xc0${"00".repeat(47)}`,
    });
    expect(texts(openBlob(points, blob, z))).toEqual(texts(library(blob, z)));
  }
});

test("a word or point that is not below the scalar modulus, and a blob of another size, are refused", () => {
  const blob = mixed(3n);
  blob.set(bigUintBytes(MODULUS, 32), 77 * 32);
  expect(() => openBlob(points, blob, new Uint8Array(32))).toThrow("word 77 of a blob is not below the scalar modulus");
  const z = bigUintBytes(MODULUS, 32);
  expect(() => openBlob(points, mixed(3n), z)).toThrow("z is not below the scalar modulus");
  expect(() => openBlob(points, blob.subarray(32), new Uint8Array(32))).toThrow(RangeError);
});

test("a released KZG worker ends only when it has no work, and starts again with the next call", async () => {
  const [blob, z] = [mixed(98n), bigUintBytes(7n, 32)];
  const expected = texts(library(blob, z));
  const kzg = new Kzg();
  try {
    for (let i = 0; i < 2; i++) {
      const opening = kzg.open(blob, z);
      kzg.release();
      expect(texts(await opening)).toEqual(expected);
      kzg.release();
    }
  } finally {
    await kzg.close();
  }
});

test("the KZG worker gives the same opening whether it has loaded the library or not", async () => {
  const [blob, z] = [mixed(99n), bigUintBytes(7n, 32)];
  const expected = texts(library(blob, z));
  for (const part of ["points", "library"] as const) {
    const kzg = new Kzg();
    try {
      kzg.load(part);
      expect(texts(await kzg.open(blob, z))).toEqual(expected);
    } finally {
      await kzg.close();
    }
  }
});
