import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { Vm } from "../../../src/execution/vm/vm.ts";
import { FR_MODULUS as P } from "../../../src/protocol/field.ts";
import { V4 } from "../../../src/protocol/generations/v4/v4.ts";
import { op, outputOf, returnCells, runCode, set, TAGS, WIDTHS } from "./assemble.ts";

const vm = new Vm(V4);
const tags = Object.values(TAGS);
const limit = (tag: number): bigint => (tag === TAGS.FF ? P : 1n << WIDTHS[tag]);
const wrap = (tag: number, value: bigint): bigint => ((value % limit(tag)) + limit(tag)) % limit(tag);

/** A tag and two of its values, with a bias to edge values. */
const operands = fc.constantFrom(...tags).chain((tag) => {
  const top = limit(tag) - 1n;
  const value = fc.oneof(
    fc.bigInt({ min: 0n, max: top }),
    fc.constantFrom(0n, 1n, top, top / 2n, top / 2n + 1n),
    fc.bigInt({ min: 0n, max: top < 300n ? top : 300n }),
  );
  return fc.record({ tag: fc.constant(tag), a: value, b: value });
});

function power(base: bigint, exponent: bigint): bigint {
  let result = 1n;
  for (let square = base, rest = exponent; rest > 0n; rest >>= 1n, square = (square * square) % P) {
    if (rest & 1n) result = (result * square) % P;
  }
  return result;
}

type Model = (tag: number, a: bigint, b: bigint) => bigint | undefined;
const integer =
  (model: Model): Model =>
  (tag, a, b) =>
    tag === TAGS.FF ? undefined : model(tag, a, b);

/** Expected results by opcode; undefined if the frame halts. */
const MODELS: Record<string, Model> = {
  ADD: (tag, a, b) => wrap(tag, a + b),
  SUB: (tag, a, b) => wrap(tag, a - b),
  MUL: (tag, a, b) => wrap(tag, a * b),
  DIV: integer((_, a, b) => (b === 0n ? undefined : a / b)),
  FDIV: (tag, a, b) => (tag !== TAGS.FF || b === 0n ? undefined : (a * power(b, P - 2n)) % P),
  EQ: (_, a, b) => BigInt(a === b),
  LT: (_, a, b) => BigInt(a < b),
  LTE: (_, a, b) => BigInt(a <= b),
  AND: integer((_, a, b) => a & b),
  OR: integer((_, a, b) => a | b),
  XOR: integer((_, a, b) => a ^ b),
  SHL: integer((tag, a, b) => (b >= WIDTHS[tag] ? 0n : wrap(tag, a << b))),
  SHR: integer((tag, a, b) => (b >= WIDTHS[tag] ? 0n : a >> b)),
};

describe.each(Object.entries(MODELS))("instruction %s", (name, model) => {
  test.each([
    ["into a third cell", 3],
    ["over its first operand", 1],
    ["over its second operand", 2],
  ])(`${name} computes what big integers do, %s`, (_, target) => {
    fc.assert(
      fc.property(operands, ({ tag, a, b }) => {
        const code = [
          ...set(1, tag, a),
          ...set(2, tag, b),
          ...op(`${name}_8`, [1, 2, target]),
          ...returnCells(1, target),
        ];
        const expected = model(tag, a, b);
        if (expected === undefined) expect(runCode(vm, code).ended).toBe("halted");
        else expect(outputOf(vm, code)).toEqual([expected]);
      }),
      { numRuns: 150 },
    );
  });

  test(`${name} halts on operands with different tags`, () => {
    for (const first of tags) {
      for (const second of tags.filter((tag) => tag !== first)) {
        const code = [...set(1, first, 1), ...set(2, second, 1), ...op(`${name}_16`, [1, 2, 3]), ...returnCells(1, 3)];
        expect([first, second, runCode(vm, code).ended]).toEqual([first, second, "halted"]);
      }
    }
  });
});

describe("NOT and CAST", () => {
  test("NOT complements a value within its width", () => {
    fc.assert(
      fc.property(operands, ({ tag, a }) => {
        const code = [...set(1, tag, a), ...op("NOT_8", [1, 2]), ...returnCells(1, 2)];
        if (tag === TAGS.FF) expect(runCode(vm, code).ended).toBe("halted");
        else expect(outputOf(vm, code)).toEqual([limit(tag) - 1n - a]);
      }),
    );
  });

  test("CAST keeps the low bits, with the new tag", () => {
    fc.assert(
      fc.property(operands, fc.constantFrom(...tags), ({ tag, a }, wanted) => {
        // Adding a value of the expected tag shows that the tag is right.
        const code = [
          ...set(1, tag, a),
          ...op("CAST_8", [1, 2], { tag: wanted }),
          ...set(3, wanted, 0),
          ...op("ADD_8", [2, 3, 4]),
          ...returnCells(1, 4),
        ];
        expect(outputOf(vm, code)).toEqual([wanted === TAGS.FF ? a : a % limit(wanted)]);
      }),
    );
  });

  test("a constant of 32 bytes is reduced to a field element before it is truncated to its tag", () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }), fc.constantFrom(...tags), (value, tag) => {
        const expected = tag === TAGS.FF ? value % P : (value % P) % limit(tag);
        expect(outputOf(vm, [...set(1, tag, value), ...returnCells(1, 1)])).toEqual([expected]);
      }),
    );
  });
});
