import { readFileSync } from "node:fs";
import { bls12_381 } from "@noble/curves/bls12-381.js";
import { afterAll, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { Kzg } from "../../src/l1/blobs/kzg.ts";
import { bigUintBytes, concat, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { BYTES_PER_BLOB, FIELDS_PER_BLOB } from "../../src/protocol/constants.ts";
import { fr } from "../../src/protocol/field.ts";
import { shaField } from "../../src/protocol/sha-field.ts";

/** The formulas of docs/protocol/03-blocks-and-blobs.md#316-batched-opening-of-an-epoch, written from the document. */

const { batched } = JSON.parse(readFileSync(new URL("../fixtures/vectors/l1.json", import.meta.url), "utf8")).blobs;
const core = loadCore();
const kzg = new Kzg();
const F = bls12_381.fields.Fr;
const { Point } = bls12_381.G1;

afterAll(() => kzg.close());

const fields = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => fr(from + i));

function blobsOf(words: Uint8Array): Uint8Array[] {
  return Array.from({ length: Math.ceil(words.length / BYTES_PER_BLOB) }, (_, i) => {
    const blob = new Uint8Array(BYTES_PER_BLOB);
    blob.set(words.subarray(i * BYTES_PER_BLOB, (i + 1) * BYTES_PER_BLOB));
    return blob;
  });
}

function commitmentFields(commitment: Uint8Array): Uint8Array {
  return concat(new Uint8Array(1), commitment.subarray(0, 31), new Uint8Array(15), commitment.subarray(31));
}

/**
 * Value at `z` of a blob's polynomial, which the blob gives at the roots of unity in bit-reversed order (12 bits).
 */
function evaluate(blob: Uint8Array, z: bigint): bigint {
  const order = BigInt(FIELDS_PER_BLOB);
  const root = F.pow(7n, (F.ORDER - 1n) / order);
  const points = Array.from({ length: FIELDS_PER_BLOB }, (_, k) => {
    const exponent = Number.parseInt(k.toString(2).padStart(12, "0").split("").reverse().join(""), 2);
    return F.pow(root, BigInt(exponent));
  });
  const inverses = F.invertBatch(points.map((at) => F.sub(z, at)));
  const sum = points.reduce(
    (before, at, k) => F.add(before, F.mul(F.mul(readBigUint(blob, k * 32, 32), at), inverses[k])),
    0n,
  );
  return F.mul(sum, F.div(F.sub(F.pow(z, order), 1n), order));
}

test("the documented opening of an epoch's blobs equals the recorded vector", async () => {
  const checkpoints = [concat(...fields(1, 5000)), concat(...fields(1, 10))];
  const opened: { blob: Uint8Array; commitment: Uint8Array; z: Uint8Array }[] = [];
  for (const words of checkpoints) {
    const sponge = core.blobSponge();
    sponge.absorb(words);
    const fieldsHash = sponge.squeeze();
    for (const blob of blobsOf(words)) {
      const commitment = await kzg.commitment(blob);
      opened.push({ blob, commitment, z: core.hash(concat(fieldsHash, commitmentFields(commitment))) });
    }
  }
  const fold = (items: Uint8Array[]) => items.reduce((before, item) => core.hash(concat(before, item)));
  const z = fold(opened.map((one) => one.z));
  const point = readBigUint(z) % F.ORDER;
  const values = opened.map(({ blob }) => evaluate(blob, point));
  const limbs = (y: bigint) => [y & (2n ** 120n - 1n), (y >> 120n) & (2n ** 120n - 1n), y >> 240n].map(fr);
  const gamma = readBigUint(fold([...values.map((y) => core.hash(concat(...limbs(y)))), z])) % F.ORDER;
  const powers = opened.map((_, i) => F.pow(gamma, BigInt(i)));
  const y = values.reduce((sum, value, i) => F.add(sum, F.mul(powers[i], value)), 0n);
  const commitment = opened.reduce(
    (sum, one, i) => sum.add(Point.fromBytes(one.commitment).multiplyUnsafe(powers[i])),
    Point.ZERO,
  );
  const [first, ...further] = opened.map((one) => one.commitment);
  const blobCommitmentsHash = further.reduce((acc, c) => shaField(acc, c), shaField(first));
  expect({
    z: toHex(z),
    y: toHex(bigUintBytes(y, 32)),
    commitment: toHex(commitment.toBytes(true)),
    blobCommitmentsHash: toHex(blobCommitmentsHash),
  }).toEqual({
    z: batched.z,
    y: batched.y,
    commitment: batched.commitment,
    blobCommitmentsHash: batched.blobCommitmentsHash,
  });
});
