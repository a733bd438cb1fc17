import { hash as digest } from "node:crypto";
import { readFileSync } from "node:fs";
import { keccak_256 } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { bigUintBytes, concat, fromHex, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { FR_MODULUS } from "../../src/protocol/field.ts";
import { shaField } from "../../src/protocol/sha-field.ts";
import { BUILDS } from "./builds.ts";

const vectors = JSON.parse(readFileSync(new URL("../fixtures/vectors/crypto.json", import.meta.url), "utf8"));
describe.each(BUILDS)("with the %s build", (build) => {
  const core = loadCore({ build });

  const {
    t,
    sboxExponent,
    fullRounds,
    partialRounds,
    externalMatrix,
    internalDiagonalMinusOne,
    internalDiagonal,
    roundConstants,
  } = vectors.poseidon2.params;
  const mod = (value: bigint) => value % FR_MODULUS;
  const power5 = (x: bigint) => mod(mod(mod(x * x) * mod(x * x)) * x);

  /**
   * docs/protocol/01-fields-and-hashing.md#15-poseidon2-permutation, written from the published constants. Every
   * constant affects the result.
   */
  function permute(input: bigint[]): bigint[] {
    const external = (s: bigint[]) =>
      externalMatrix.map((row: number[]) => mod(row.reduce((sum, factor, i) => sum + BigInt(factor) * s[i], 0n)));
    const internal = (s: bigint[]) => {
      const sum = s.reduce((a, b) => a + b, 0n);
      return s.map((x, i) => mod(BigInt(internalDiagonalMinusOne[i]) * x + sum));
    };
    let state: bigint[] = external(input);
    roundConstants.forEach((constants: string[], round: number) => {
      const full = round < fullRounds / 2 || round >= fullRounds / 2 + partialRounds;
      state = state.map((x: bigint, i: number) => mod(x + BigInt(constants[i])));
      state = full ? external(state.map(power5)) : internal([power5(state[0]), ...state.slice(1)]);
    });
    return state;
  }

  describe("Poseidon2 from the published parameters", () => {
    test("the published Poseidon2 parameters have the shape that the core is written for", () => {
      expect([t, sboxExponent, fullRounds, partialRounds, roundConstants.length]).toEqual([4, 5, 8, 56, 64]);
      internalDiagonal.forEach((entry: string, i: number) => {
        expect(mod(BigInt(internalDiagonalMinusOne[i]) + 1n)).toBe(BigInt(entry));
      });
    });

    test("Poseidon2 from the published parameters is the core's permutation", () => {
      const element = fc.bigInt({ min: 0n, max: FR_MODULUS - 1n });
      fc.assert(
        fc.property(fc.tuple(element, element, element, element), (state) => {
          const out = core.permute(concat(...state.map((x) => bigUintBytes(x, 32))));
          expect(state.map((_, i) => readBigUint(out, i * 32, 32))).toEqual(permute(state));
        }),
        { numRuns: 50 },
      );
    });
  });

  test.each(vectors.byteHashes.cases as { bytes: string; sha256: string; toField: string; keccak256: string }[])(
    "SHA-256, its field form and Keccak-256 are those of the vectors: $bytes",
    ({ bytes, sha256, toField, keccak256 }) => {
      const input = fromHex(bytes);
      expect(toHex(digest("sha256", input, "buffer"))).toBe(sha256);
      expect(toHex(shaField(input))).toBe(toField);
      expect(toHex(keccak_256(input))).toBe(keccak256);
    },
  );

  test("negating zero gives zero, where the network's arithmetic throws", () => {
    expect(vectors.field.negateZero).toBe("throws");
    const zero = new Uint8Array(32);
    expect(toHex(core.field.sub(zero, zero))).toBe(toHex(zero));
  });
});
