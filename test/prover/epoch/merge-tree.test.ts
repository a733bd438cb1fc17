import fc from "fast-check";
import { expect, test } from "vitest";
import { unbalancedRoot } from "../../../src/protocol/sha-trees.ts";
import { mergeHalves } from "../../../src/prover/epoch/merge-tree.ts";

const bytes = (text: string) => new TextEncoder().encode(text);
const join = (left: string, right: string) => `(${left} ${right})`;

test("merges as the trees of block headers and out hashes do, without the topmost merge", () => {
  fc.assert(
    fc.property(fc.integer({ min: 2, max: 80 }), (count) => {
      const items = Array.from({ length: count }, (_, i) => String(i));
      let merges = 0;
      const halves = mergeHalves(items, (left, right) => {
        merges++;
        return join(left, right);
      });
      expect(merges).toBe(count - 2);
      expect(halves).toHaveLength(2);
      const text = (value: Uint8Array) => new TextDecoder().decode(value);
      const root = unbalancedRoot(items.map(bytes), false, (left, right) => bytes(join(text(left), text(right))));
      expect(join(halves[0], halves[1])).toBe(text(root));
    }),
  );
});

test("leaves no item and one item alone", () => {
  const never = () => expect.unreachable();
  expect(mergeHalves([], never)).toEqual([]);
  expect(mergeHalves(["a"], never)).toEqual(["a"]);
});
