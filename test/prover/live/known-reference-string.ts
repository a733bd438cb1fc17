import { closeSync, copyFileSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { bn254 } from "@noble/curves/bn254.js";
import { IGNITION_G2 } from "../../../src/mempool/proofs/reference-strings.ts";
import { bigUintBytes, concat } from "../../../src/protocol/bytes.ts";

/** The field of the coordinates of BN254. */
const MODULUS = 21888242871839275222246405745257275088696311157297823662689037894645226208583n;
const BATCH = 4096;

const times = (a: bigint, b: bigint): bigint => (a * b) % MODULUS;
const reduced = (a: bigint): bigint => ((a % MODULUS) + MODULUS) % MODULUS;

function inverse(value: bigint): bigint {
  let [r0, r1, s0, s1] = [MODULUS, value, 0n, 1n];
  while (r1 > 0n) {
    const quotient = r0 / r1;
    [r0, r1, s0, s1] = [r1, r0 - quotient * r1, s1, s0 - quotient * s1];
  }
  return reduced(s0);
}

/** A point in Jacobian coordinates. */
interface Jacobian {
  x: bigint;
  y: bigint;
  z: bigint;
}

/** Formula dbl-2009-l of the Explicit-Formulas Database. */
function doubled({ x, y, z }: Jacobian): Jacobian {
  const [a, b] = [times(x, x), times(y, y)];
  const c = times(b, b);
  const d = 2n * (times(x + b, x + b) - a - c);
  const e = 3n * a;
  const x3 = reduced(e * e - 2n * d);
  return { x: x3, y: reduced(e * (d - x3) - 8n * c), z: times(2n * y, z) };
}

/**
 * Writes a reference string of `points` points to `folder` whose secret is 2: each point is twice the one before.
 * Anyone can prove anything with it.
 */
export function writeKnownString(folder: string, points: number): void {
  mkdirSync(folder, { recursive: true });
  const file = openSync(join(folder, "bn254_g1.dat"), "w");
  let next: Jacobian = { x: 1n, y: 2n, z: 1n };
  for (let from = 0; from < points; from += BATCH) {
    const batch: Jacobian[] = [];
    for (let i = from; i < Math.min(points, from + BATCH); i++) {
      batch.push(next);
      next = doubled(next);
    }
    writeSync(file, affine(batch));
  }
  closeSync(file);
}

/** x and y of 32 bytes each; one inversion for all (Montgomery's trick). */
function affine(batch: readonly Jacobian[]): Uint8Array {
  const products = [1n];
  for (const [i, { z }] of batch.entries()) products.push(times(products[i], z));
  let rest = inverse(products[batch.length]);
  const bytes = new Uint8Array(batch.length * 64);
  for (let i = batch.length - 1; i >= 0; i--) {
    const { x, y, z } = batch[i];
    const zInverse = times(rest, products[i]);
    rest = times(rest, z);
    const square = times(zInverse, zInverse);
    bytes.set(bigUintBytes(times(x, square), 32), i * 64);
    bytes.set(bigUintBytes(times(y, times(square, zInverse)), 32), i * 64 + 32);
  }
  return bytes;
}

/** Twice the generator of the second group, as bb reads it. */
export function knownG2(): Uint8Array {
  const { x, y } = bn254.G2.Point.BASE.double().toAffine();
  return concat(...[x.c0, x.c1, y.c0, y.c1].map((value) => bigUintBytes(value, 32)));
}

/** Copies bb with `knownG2` in place of the ceremony's point, which is a constant of the program. */
export function copyWithKnownG2(program: string, copy: string): void {
  const bytes = readFileSync(program);
  const at = bytes.indexOf(IGNITION_G2);
  if (at < 0 || bytes.indexOf(IGNITION_G2, at + 1) >= 0)
    throw new Error(`${program} has not one point of the ceremony`);
  copyFileSync(program, copy);
  bytes.set(knownG2(), at);
  writeFileSync(copy, bytes, { mode: 0o755 });
}
