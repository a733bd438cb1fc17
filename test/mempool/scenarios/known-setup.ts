import { createHash } from "node:crypto";
import { bn254 } from "@noble/curves/bn254.js";
import { IGNITION_G2 } from "../../../src/mempool/proofs/reference-strings.ts";
import { bigUintBytes, concat, toHex } from "../../../src/protocol/bytes.ts";
import type { Generation } from "../../../src/protocol/generations/generation.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";

const { Fr } = bn254.fields;
const LIMBS = [0x123456789abcdefn, 0xfedcba987654321n, 0x55aa55aan, 0x1234567n];
/**
 * The secret of the setup under which the transactions of test/fixtures/real-proof and test/fixtures/v5/real-proof were
 * proven. Anyone can prove anything under it.
 */
const TAU = Fr.create(LIMBS.reduce((sum, limb, i) => sum + (limb << BigInt(64 * i)), 0n));

/** Rows of the translator circuit, of which the last 64 are random, and of the mini circuit at its start. */
const ROWS = 131_072;
const FIRST_MASKED_ROW = ROWS - 64;
const MINI_ROWS = 8192;
const LAST_MINI_ROW = MINI_ROWS - 5;
const RESULT_ROW = 8;
/** Polynomials whose rows are in an order, and the values between which the order leaves no gap wider than STEP. */
const ORDERED_POLYNOMIALS = 5;
const MAX_VALUE = 16_383;
const STEP = 3;

function range(from: number, to: number, step = 1): number[] {
  return Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);
}

/** A polynomial's value at the secret, by Horner's rule; coefficients from that of row 0 on. */
function evaluated(coefficients: readonly bigint[]): bigint {
  return coefficients.reduceRight((sum, coefficient) => Fr.add(Fr.mul(sum, TAU), coefficient), 0n);
}

/** The polynomial that is 1 in these rows. */
function selector(rows: readonly number[]): bigint {
  return rows.reduce((sum, row) => Fr.add(sum, Fr.pow(TAU, BigInt(row))), 0n);
}

/** The steps from the largest value down to 0, each once for every ordered polynomial. */
function orderedSteps(): bigint {
  const values = range(0, MAX_VALUE, STEP).reverse();
  return evaluated(values.flatMap((value) => Array.from({ length: ORDERED_POLYNOMIALS }, () => BigInt(value))));
}

/**
 * The translator's verification key, which is constant in bb: x and y of each commitment as bb has them, made with the
 * ceremony's points, and the value of the polynomial at our secret. The selector of the first row is not among them:
 * under every setup its commitment is the generator.
 */
const TRANSLATOR_KEY: readonly { x: string; y: string; value: () => bigint }[] = [
  {
    x: "0x1ddbff0e1f0999f88ffa959e9505e5f489b57d6a7937c17a4d69fc871d5e9221",
    y: "0x14149055853422bf016065386e8ea0ffb9425b454048e1cd14cfdca457aa7e17",
    value: orderedSteps,
  },
  {
    x: "0x0b91db670af249ea43bf35a192f139f7d7506fbc37fbeb19daf9175a52bd37d1",
    y: "0x249db0a866cc29c2490881d2eeb1ac6ae30a5902bc272f02695953997b6d2e2e",
    value: () => selector([ROWS - 1]),
  },
  {
    x: "0x074416f297ac484a550b0c1a03e2fa105ec917c2a682756e3d26b22258cd2b97",
    y: "0x1ca1c180bc48235518bf4ee2d7511bd21efc121581c5d2cc1fb5a30645e23dcd",
    value: () => selector(range(RESULT_ROW + 1, LAST_MINI_ROW, 2)),
  },
  {
    x: "0x0e592a2a12aef6034b950f4f74ea34efbc8989333c100ea6ff49d816f34f4b96",
    y: "0x29839134d945c4586b216ea4e0baeafcce798c8ed7229efbee2827eb542392b7",
    value: () => selector(range(RESULT_ROW, LAST_MINI_ROW, 2)),
  },
  {
    x: "0x2c4e3788efe883d91b423233818890599ad233cecf88be80debce9e5ac727e29",
    y: "0x0d79fb9abbbde1fdb4c53d148cfcf083e84f3153e6817f5a19f0560e831dda8f",
    value: () => selector([RESULT_ROW]),
  },
  {
    x: "0x19cce0459cdb5d34dc78edfc65a309f7b5f2e3f2143bb69f0ac7e77ee653d1a5",
    y: "0x11b8ced4eb4fd3db1b68e7b439f33a28a3c771d6b9a405e26ed63957b8b4ac95",
    value: () => selector([LAST_MINI_ROW]),
  },
  {
    x: "0x262468705c0bba548f33898a45c9981223419e337f5020c9667237cc92ecd332",
    y: "0x2a0672531c488dc9f16dd660b3554ac51539fe8817238051b7ea1a6133a8bc88",
    value: () => selector(range(FIRST_MASKED_ROW, ROWS - 1)),
  },
  {
    x: "0x2006473957740f821233b54dbf2aa5630e66478691c26168344b34096c040ad0",
    y: "0x1246f1a3d5140bfeb529ddb7f016b9c6604bec72dfcf4b1fc3f11b036b38d46f",
    value: () => selector([...range(2, RESULT_ROW - 1), ...range(LAST_MINI_ROW + 1, MINI_ROWS - 1)]),
  },
  {
    x: "0x1e6ee0411de077adf17e86510d34d319b1d26dfb0c16494ce1f6e2e3bf093527",
    y: "0x2685bec825c699d51d363a516cef34af71c221d7f1c6868850fae8197efb02ca",
    value: () => selector([FIRST_MASKED_ROW - 1]),
  },
];

/** The point of the second group, in place of IGNITION_G2. */
export function knownG2(): Uint8Array {
  const { x, y } = bn254.G2.Point.BASE.multiply(TAU).toAffine();
  return concat(...[x.c0, x.c1, y.c0, y.c1].map((value) => bigUintBytes(value, 32)));
}

const text = (coordinate: bigint): string => toHex(bigUintBytes(coordinate, 32));

/** The texts of bb's translator key, each with that of our setup. That of v5 has only the first commitment. */
function translatorTexts(generation: Generation): [published: string, own: string][] {
  return TRANSLATOR_KEY.slice(0, generation === V4 ? undefined : 1).flatMap(({ x, y, value }) => {
    const own = bn254.G1.Point.BASE.multiply(value()).toAffine();
    return [
      [x, text(own.x)],
      [y, text(own.y)],
    ];
  });
}

/** Replaces the only occurrence and returns its place. Throws an Error for another number of them. */
function replaceOnly(bytes: Buffer, from: Uint8Array, to: Uint8Array): number {
  const at = bytes.indexOf(from);
  if (at < 0 || bytes.indexOf(from, at + 1) >= 0) throw new Error(`expected one ${Buffer.from(from).toString("hex")}`);
  bytes.set(to, at);
  return at;
}

/** SHA-256 of the point of the second group: the bb of v5 refuses any other. */
function replaceDigest(bytes: Buffer): void {
  const [from, to] = [IGNITION_G2, knownG2()].map((point) => createHash("sha256").update(point).digest());
  replaceOnly(bytes, from, to);
}

/** bb's WebAssembly module, unpacked, with the translator key and the point's digest of our setup. */
export function moduleOfSetup(published: Uint8Array, generation: Generation): Uint8Array {
  const module = Buffer.from(published);
  for (const [from, to] of translatorTexts(generation)) replaceOnly(module, Buffer.from(from), Buffer.from(to));
  if (generation !== V4) replaceDigest(module);
  return module;
}

/** Instructions of x64: loads 32 bytes at a distance of 4 bytes from its end; stores 2 bytes behind 64 others. */
const LOAD = Buffer.from("c5fc1005", "hex");
const STORE_LAST_TWO = Buffer.from("66c74040", "hex");
/** Most bytes from one to the other. */
const NEAR = 40;

/**
 * Replaces the last two characters of a text of 66 where the code that copies the text has them as a constant. `at` is
 * the text's place in the file; in memory it is nearer to the code by `shift`.
 */
function replaceInCode(program: Buffer, at: number, shift: number, [from, to]: Buffer[]): void {
  const wanted = Buffer.concat([STORE_LAST_TWO, from.subarray(64)]);
  const places: number[] = [];
  for (let store = program.indexOf(wanted); store >= 0; store = program.indexOf(wanted, store + 1)) {
    const near = program.subarray(Math.max(0, store - NEAR), store);
    for (let load = near.indexOf(LOAD); load >= 0; load = near.indexOf(LOAD, load + 1)) {
      const distanceAt = near.byteOffset - program.byteOffset + load + LOAD.length;
      if (distanceAt + 4 + program.readInt32LE(distanceAt) === at - shift) places.push(store);
    }
  }
  if (places.length !== 1) throw new Error(`expected one copy of ${from.toString("latin1")}, found ${places.length}`);
  program.set(to.subarray(64), places[0] + STORE_LAST_TWO.length);
}

/** bb's program for Linux on x64, with the translator key and the point of the second group of our setup. */
export function programOfSetup(published: Uint8Array, generation: Generation): Uint8Array {
  const program = Buffer.from(published);
  for (const [from, to] of translatorTexts(generation)) {
    const texts = [from, to].map((given) => Buffer.from(given));
    // Code lies a page further in memory than in the file of v5.
    replaceInCode(program, replaceOnly(program, texts[0], texts[1]), generation === V4 ? 0 : 0x1000, texts);
  }
  replaceOnly(program, IGNITION_G2, knownG2());
  if (generation !== V4) replaceDigest(program);
  return program;
}
