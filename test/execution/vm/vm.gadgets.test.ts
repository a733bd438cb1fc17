import { sha256 } from "@noble/hashes/sha2.js";
import { keccakP } from "@noble/hashes/sha3.js";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { vmModule } from "../../../src/execution/vm/load-vm.ts";
import { Vm } from "../../../src/execution/vm/vm.ts";
import type { VmExports } from "../../../src/execution/vm/vm-exports.ts";
import { bigUintBytes, concat, readBigUint } from "../../../src/protocol/bytes.ts";
import { FR_MODULUS as P } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { core, VECTORS } from "../support/op-vectors.ts";
import { op, outputOf, returnCells, runCode, set, TAGS } from "./assemble.ts";

const vm = new Vm(V4);
/** assembly/poseidon2/build.ts */
const FUSED_LANES = 2;
const fieldValue = fc.oneof(fc.bigInt({ min: 0n, max: P - 1n }), fc.constantFrom(0n, 1n, P - 1n));

const SHA_START = [0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19];

/** The message with its padding, as 32-bit words. */
function paddedWords(message: Uint8Array): number[] {
  const blocks = Math.ceil((message.length + 9) / 64);
  const bytes = new Uint8Array(blocks * 64);
  bytes.set(message);
  bytes[message.length] = 0x80;
  bytes.set(bigUintBytes(BigInt(message.length * 8), 8), bytes.length - 8);
  return Array.from({ length: blocks * 16 }, (_, i) => Number(readBigUint(bytes, i * 4, 4)));
}

describe("SHA256COMPRESSION", () => {
  test("SHA256COMPRESSION computes the digest of any message, block by block, with its output overwriting its state", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (message) => {
        const words = paddedWords(message);
        const code = SHA_START.flatMap((word, i) => set(10 + i, TAGS.U32, word));
        words.forEach((word, i) => {
          code.push(...set(20 + i, TAGS.U32, word));
        });
        for (let i = 0; i < words.length; i += 16) code.push(...op("SHA256COMPRESSION", [10, 10, 20 + i]));
        const digest = concat(...outputOf(vm, [...code, ...returnCells(8, 10)]).map((word) => bigUintBytes(word, 4)));
        expect(digest).toEqual(sha256(message));
      }),
      { numRuns: 60 },
    );
  });
});

describe("KECCAKF1600", () => {
  test("KECCAKF1600 permutes as Keccak does", () => {
    const lane = fc.bigInt({ min: 0n, max: (1n << 64n) - 1n });
    fc.assert(
      fc.property(fc.array(lane, { minLength: 25, maxLength: 25 }), (lanes) => {
        const state = new Uint32Array(50);
        lanes.forEach((value, i) => {
          state[2 * i] = Number(value & 0xffffffffn);
          state[2 * i + 1] = Number(value >> 32n);
        });
        keccakP(state);
        const expected = lanes.map((_, i) => BigInt(state[2 * i]) | (BigInt(state[2 * i + 1]) << 32n));
        const code = lanes.flatMap((value, i) => set(10 + i, TAGS.U64, value));
        expect(outputOf(vm, [...code, ...op("KECCAKF1600", [20, 10]), ...returnCells(25, 20)])).toEqual(expected);
      }),
      { numRuns: 40 },
    );
  });
});

describe("POSEIDON2", () => {
  test("POSEIDON2 is computed in lanes if and only if the core's hashes are", () => {
    const none = new Proxy({}, { get: () => () => 0 });
    const { initialize } = new WebAssembly.Instance(vmModule(), { host: none }).exports as VmExports;
    expect(initialize() === FUSED_LANES).toBe(core.build === "lanes");
  });

  test("POSEIDON2 permutes as the core does", () => {
    fc.assert(
      fc.property(fc.array(fieldValue, { minLength: 4, maxLength: 4 }), (state) => {
        const expected = core.permute(concat(...state.map((value) => bigUintBytes(value, 32))));
        const code = state.flatMap((value, i) => set(10 + i, TAGS.FF, value));
        const output = outputOf(vm, [...code, ...op("POSEIDON2", [10, 11]), ...returnCells(4, 11)]);
        expect(concat(...output.map((value) => bigUintBytes(value, 32)))).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });
});

const mod = (value: bigint): bigint => ((value % P) + P) % P;
type Point = readonly [x: bigint, y: bigint] | undefined;

function inverse(value: bigint): bigint {
  let [a, b, x, y] = [mod(value), P, 1n, 0n];
  while (a > 1n) {
    const q = a / b;
    [a, b, x, y] = [b, a - q * b, y, x - q * y];
  }
  return mod(x);
}

function add(p: Point, q: Point): Point {
  if (p === undefined) return q;
  if (q === undefined) return p;
  if (p[0] === q[0] && p[1] !== q[1]) return undefined;
  const slope = p[0] === q[0] ? 3n * p[0] * p[0] * inverse(2n * p[1]) : (q[1] - p[1]) * inverse(q[0] - p[0]);
  const x = mod(slope * slope - p[0] - q[0]);
  return [x, mod(slope * (p[0] - x) - p[1])];
}

const GENERATOR: Point = [1n, 0x2cf135e7506a45d632d270d45f1181294833fc48d823f272cn];
/** Multiples of the generator, 0 to 15. */
const MULTIPLES = Array.from({ length: 15 }).reduce<Point[]>(
  (list) => [...list, add(list.at(-1), GENERATOR)],
  [undefined],
);
const negated = (p: Point): Point => p && [p[0], mod(-p[1])];
const point = fc.tuple(fc.constantFrom(...MULTIPLES), fc.boolean()).map(([p, turned]) => (turned ? negated(p) : p));

function pointCells(at: number, p: Point): number[] {
  const [x, y] = p ?? [5n, 5n];
  return [...set(at, TAGS.FF, x), ...set(at + 1, TAGS.FF, y), ...set(at + 2, TAGS.U1, p ? 0 : 1)];
}

describe("ECADD", () => {
  test("ECADD adds points as big integers do, including doublings, opposites and the identity", () => {
    fc.assert(
      fc.property(point, point, (p, q) => {
        const code = [...pointCells(10, p), ...pointCells(13, q), ...op("ECADD", [10, 11, 12, 13, 14, 15, 12])];
        const sum = add(p, q);
        expect(outputOf(vm, [...code, ...returnCells(3, 12)])).toEqual(sum ? [...sum, 0n] : [0n, 0n, 1n]);
      }),
      { numRuns: 200 },
    );
  });

  test("ECADD halts on a point that is not on the curve", () => {
    fc.assert(
      fc.property(point, fieldValue, (p, y) => {
        const off: Point = [MULTIPLES[2]?.[0] ?? 0n, y];
        fc.pre(mod(y * y) !== mod(off[0] ** 3n - 17n));
        for (const [a, b] of [[p, off] as const, [off, p] as const]) {
          const code = [...pointCells(10, a), ...pointCells(13, b), ...op("ECADD", [10, 11, 12, 13, 14, 15, 16])];
          expect(runCode(vm, code).ended).toBe("halted");
        }
      }),
    );
  });
});

describe("TORADIXBE", () => {
  const radixCode = (value: bigint, radix: number, limbs: number, bits: number): number[] => [
    ...set(10, TAGS.FF, value),
    ...set(11, TAGS.U32, radix),
    ...set(12, TAGS.U32, limbs),
    ...set(13, TAGS.U1, bits),
    ...op("TORADIXBE", [10, 11, 12, 13, 20]),
    ...returnCells(limbs, 20),
  ];

  test("TORADIXBE gives the digits, or halts when they do not fit", () => {
    const radix = fc.oneof(fc.integer({ min: 2, max: 256 }), fc.constantFrom(2, 4, 8, 16, 32, 64, 128, 256));
    fc.assert(
      fc.property(
        fieldValue,
        radix,
        fc.integer({ min: 1, max: 300 }),
        fc.bigInt({ min: 0n, max: 253n }),
        (field, base, limbs, shift) => {
          const value = field >> shift;
          if (value >= BigInt(base) ** BigInt(limbs)) {
            expect(runCode(vm, radixCode(value, base, limbs, 0)).ended).toBe("halted");
            return;
          }
          const digits: bigint[] = [];
          for (let rest = value, i = 0; i < limbs; i++, rest /= BigInt(base)) digits.unshift(rest % BigInt(base));
          expect(outputOf(vm, radixCode(value, base, limbs, 0))).toEqual(digits);
        },
      ),
      { numRuns: 200 },
    );
  });

  test("TORADIXBE charges for at least the digits of the modulus", () => {
    const counts = Object.values(VECTORS.toRadixModulusDigits);
    for (let radix = 2; radix <= 256; radix++) {
      const { gasUsed } = runCode(vm, radixCode(0n, radix, 1, 0));
      expect([radix, gasUsed.l2]).toEqual([radix, 27 * 5 + 24 + 9 + 3 * counts[radix]]);
    }
  });
});
