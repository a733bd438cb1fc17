import { readFileSync } from "node:fs";
import { DasContextJs } from "@crate-crypto/node-eth-kzg";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { BlobCommitments } from "../../../src/l1/blobs/blob-commitments.ts";
import { SetupPoints } from "../../../src/l1/blobs/setup-points.ts";
import { bigUintBytes, fromHex, readBigUint, toHex } from "../../../src/protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../../src/protocol/constants.ts";
import { l1Vectors, paddedBlob } from "../../world/l1/vectors.ts";

const MODULUS = bls12_381.fields.Fr.ORDER;
/** Words of a blob by index. */
type Words = readonly (readonly [index: number, value: bigint])[];

function blobOf(words: Words, base?: Uint8Array): Uint8Array {
  const blob = new Uint8Array(BYTES_PER_BLOB);
  if (base !== undefined) blob.set(base);
  for (const [index, value] of words) blob.set(bigUintBytes(value, 32), index * 32);
  return blob;
}

const indexBits = Math.log2(FIELDS_PER_BLOB);
const bitReversed = (index: number) =>
  Number.parseInt([...index.toString(2).padStart(indexBits, "0")].reverse().join(""), 2);

const index = fc.integer({ min: 0, max: FIELDS_PER_BLOB - 1 });
/** With the values at which digits of windows carry, and small ones. */
const value = fc.oneof(
  fc.bigInt({ min: 0n, max: MODULUS - 1n }),
  fc.bigInt({ min: 0n, max: 300n }),
  fc.constantFrom(MODULUS - 1n, MODULUS - 2n, MODULUS >> 1n, 2n ** 254n, 2n ** 254n - 1n),
);
const words = fc.array(fc.tuple(index, value), { maxLength: 40 });

let points: SetupPoints;
let library: (blob: Uint8Array) => string;
beforeAll(() => {
  points = new SetupPoints();
  const context = DasContextJs.create({ usePrecomp: false });
  library = (blob) => toHex(context.blobToKzgCommitment(blob));
});

const NEVER = (): never => {
  throw new Error("computed in full");
};

test("the points of the trusted setup are those of the KZG ceremony that viem has", () => {
  const file = new URL("../../../node_modules/viem/trusted-setups/mainnet.json", import.meta.url);
  const { g1_lagrange } = JSON.parse(readFileSync(file, "utf8")) as { g1_lagrange: string[] };
  const own = readFileSync(new URL("../../../data/kzg-points.bin", import.meta.url));
  const half = (bls12_381.fields.Fp.ORDER - 1n) / 2n;
  const points = Array.from({ length: own.length / 96 }, (_, i) => {
    const compressed = Uint8Array.from(own.subarray(i * 96, i * 96 + 48));
    compressed[0] |= readBigUint(own, i * 96 + 48, 48) > half ? 0xa0 : 0x80;
    return toHex(compressed);
  });
  expect(points).toEqual(g1_lagrange.map((_, i) => g1_lagrange[bitReversed(i)]));
});

describe("commitments of blobs with few words", () => {
  test("the commitment of a blob with few words is that of the library, for any words at any place", () => {
    const commitments = new BlobCommitments(points, NEVER);
    fc.assert(
      fc.property(words, (given) => {
        const blob = blobOf(given);
        expect(toHex(commitments.commit(blob))).toBe(library(blob));
      }),
      { numRuns: 30 },
    );
  });

  test("the commitment of a blob that few words changed is computed from the blob before", () => {
    const full = fullBlob();
    let computed = 0;
    const counting = (blob: Uint8Array) => {
      computed++;
      return fromHex(library(blob));
    };
    fc.assert(
      fc.property(words, words, (first, second) => {
        const commitments = new BlobCommitments(points, counting);
        computed = 0;
        const blobs = [full, blobOf(first, full), blobOf([...first, ...second], full)];
        for (const blob of blobs) expect(toHex(commitments.commitGrowing(blob))).toBe(library(blob));
        expect(computed).toBe(1);
      }),
      { numRuns: 6 },
    );
  });

  test("equal and opposite words, which make additions of equal points, have the library's commitment", () => {
    const commitments = new BlobCommitments(points, NEVER);
    const cases: Words[] = [
      [],
      [[0, 0n]],
      [[7, 1n]],
      [[4095, MODULUS - 1n]],
      [0, 1, 2, 3, 4].map((i) => [i, 1n] as const),
      [0, 1, 2, 3, 4].map((i) => [i, MODULUS - 1n] as const),
      [0, 1, 2, 3].map((i) => [i, i % 2 === 0 ? 5n : MODULUS - 5n] as const),
      // In each window all terms fall into one bucket.
      Array.from({ length: 512 }, (_, i) => [i * 8, 3n] as const),
    ];
    for (const given of cases) {
      const blob = blobOf(given);
      expect(toHex(commitments.commit(blob))).toBe(library(blob));
    }
  });

  test("a blob with more than 512 words is computed in full, and one with as many is not", () => {
    const most = Array.from({ length: 512 }, (_, i) => [i, BigInt(i + 1)] as const);
    let computed = 0;
    const commitments = new BlobCommitments(points, (blob) => {
      computed++;
      return fromHex(library(blob));
    });
    for (const given of [most, [...most, [most.length, 1n] as const]]) {
      const blob = blobOf(given);
      expect(toHex(commitments.commit(blob))).toBe(library(blob));
    }
    expect(computed).toBe(1);
    expect(() => points.sum(Array(points.max + 1).fill({ index: 0, factor: 1n }))).toThrow(RangeError);
  });

  test("a word that is not below the scalar modulus is refused, as the library does", () => {
    const commitments = new BlobCommitments(points, NEVER);
    for (const word of [MODULUS, 2n ** 256n - 1n]) {
      const blob = blobOf([[1, word]]);
      expect(() => commitments.commit(blob)).toThrow("word 1 of a blob is not below the scalar modulus");
      expect(() => library(blob)).toThrow();
    }
    expect(() => commitments.commit(new Uint8Array(BYTES_PER_BLOB - 32))).toThrow(RangeError);
  });

  test("the commitments of recorded blobs are those that L1 has", () => {
    const blobs = [...l1Vectors.live.checkpoints, ...l1Vectors.scenario.checkpoints].flatMap((c) => c.blobs);
    const expected = new Map(blobs.map(({ dataTrimmed, commitment }) => [toHex(paddedBlob(dataTrimmed)), commitment]));
    const commitments = new BlobCommitments(points, (blob) => fromHex(expected.get(toHex(blob))!));
    for (const { dataTrimmed, commitment } of blobs) {
      expect(toHex(commitments.commitGrowing(paddedBlob(dataTrimmed)))).toBe(commitment);
    }
  });
});

/** A blob without an empty word. */
function fullBlob(): Uint8Array {
  return blobOf(Array.from({ length: FIELDS_PER_BLOB }, (_, i) => [i, (BigInt(i) << 200n) + 1n] as const));
}
