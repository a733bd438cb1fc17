import fc from "fast-check";
import { expect, test } from "vitest";
import { column, squareColumn } from "../../scripts/unrolled/columns.ts";

const digits = fc.array(fc.bigInt({ min: 0n, max: (1n << 29n) - 1n }), { minLength: 1, maxLength: 14 });
const value = (limbs: readonly bigint[], bits: bigint): bigint =>
  limbs.reduceRight((sum, limb) => (sum << bits) + limb, 0n);

test("the columns of a product add up to the product of both numbers", () => {
  fc.assert(
    fc.property(digits, digits, (a, other) => {
      const b = a.map((_, i) => other[i] ?? 0n);
      const columns = Array.from({ length: 2 * a.length - 1 }, (_, k) =>
        column(k, a.length).reduce((sum, { i, j }) => sum + a[i] * b[j], 0n),
      );
      expect(value(columns, 29n)).toBe(value(a, 29n) * value(b, 29n));
    }),
  );
});

test("the columns of a square, mixed terms twice, add up to the square", () => {
  fc.assert(
    fc.property(digits, (a) => {
      const columns = Array.from({ length: 2 * a.length - 1 }, (_, k) =>
        squareColumn(k, a.length).reduce((sum, { i, j }) => sum + (i < j ? 2n : 1n) * a[i] * a[j], 0n),
      );
      expect(value(columns, 29n)).toBe(value(a, 29n) ** 2n);
    }),
  );
});
