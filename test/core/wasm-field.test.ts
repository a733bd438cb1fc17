import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { loadCore } from "../../src/core/load-core.ts";
import { bigUintBytes, fromHex, readBigUint, toHex } from "../../src/protocol/bytes.ts";
import { FR_MODULUS } from "../../src/protocol/field.ts";
import {
  frFromBytes,
  frFromBytesReducing,
  frFromHex,
  frFromInteger,
  frFromShortBytes,
  frFromText,
} from "../world/protocol/field-text.ts";
import { readVectors } from "./support/vectors.ts";

interface ParsingCase {
  op: string;
  input: string;
  accepted: boolean;
  value?: string;
}
type ArithmeticCase = Record<"a" | "b" | "add" | "sub" | "mul", string> & { div: string | null };

const { field } = readVectors<{
  field: { fqModulusDecimal: string; parsing: ParsingCase[]; arithmetic: ArithmeticCase[] };
}>("crypto.json");
const core = loadCore();

const readers: Record<string, (input: string) => Uint8Array> = {
  "fromString(decimal)": frFromText,
  "fromString(hex)": frFromText,
  fromString: frFromText,
  fromHexString: frFromHex,
  fromBuffer: (input) => frFromBytes(fromHex(input)),
  "construct(bytes)": (input) => frFromShortBytes(fromHex(input)),
  "construct(integer)": (input) => frFromInteger(BigInt(input)),
  "construct(number)": (input) => frFromInteger(Number(input)),
  "construct(boolean)": (input) => frFromInteger(input === "true" ? 1 : 0),
  fromBufferReduce: (input) => frFromBytesReducing(fromHex(input)),
  "Fq construct(integer)": (input) => frFromInteger(BigInt(input), BigInt(field.fqModulusDecimal)),
};

describe("reading field elements", () => {
  test.each(field.parsing)("$op reads or refuses $input as in the vectors", ({ op, input, accepted, value }) => {
    if (accepted) expect(toHex(readers[op](input))).toBe(value);
    else expect(() => readers[op](input)).toThrow("field element: must be");
  });

  test("a field element in decimal is refused if it is too long to read in linear time", () => {
    expect(() => frFromText("1".repeat(4097))).toThrow("at most 4096 digits");
  });
});

describe("field arithmetic", () => {
  test.each(field.arithmetic)(
    "sum, difference, product and quotient of $a and $b are those of the vectors",
    ({ a, b, add, sub, mul, div }) => {
      const [x, y] = [fromHex(a), fromHex(b)];
      expect(toHex(core.field.add(x, y))).toBe(add);
      expect(toHex(core.field.sub(x, y))).toBe(sub);
      expect(toHex(core.field.mul(x, y))).toBe(mul);
      if (div !== null && div !== undefined) expect(toHex(core.field.div(x, y))).toBe(div);
    },
  );

  const edges = [0n, 1n, 2n, FR_MODULUS - 1n, FR_MODULUS, FR_MODULUS + 1n, (1n << 29n) - 1n, (1n << 256n) - 1n];
  const anyWord = fc.oneof(fc.constantFrom(...edges), fc.bigInt({ min: 0n, max: (1n << 256n) - 1n }));
  const mod = (v: bigint) => ((v % FR_MODULUS) + FR_MODULUS) % FR_MODULUS;

  test("field arithmetic agrees with integers mod p, for operands of any 256 bits", () => {
    fc.assert(
      fc.property(anyWord, anyWord, (a, b) => {
        const [x, y] = [bigUintBytes(a, 32), bigUintBytes(b, 32)];
        expect(readBigUint(core.field.add(x, y))).toBe(mod(a + b));
        expect(readBigUint(core.field.sub(x, y))).toBe(mod(a - b));
        expect(readBigUint(core.field.mul(x, y))).toBe(mod(a * b));
      }),
      { numRuns: 300 },
    );
  });

  test("a field quotient times its divisor is the dividend, and a zero divisor gives zero", () => {
    fc.assert(
      fc.property(anyWord, anyWord, (a, b) => {
        const quotient = core.field.div(bigUintBytes(a, 32), bigUintBytes(b, 32));
        const product = readBigUint(core.field.mul(quotient, bigUintBytes(b, 32)));
        expect(product).toBe(mod(b) === 0n ? 0n : mod(a));
      }),
      { numRuns: 50 },
    );
  });
});
