import fc from "fast-check";
import { expect, test } from "vitest";
import { SortedKeys } from "../../../src/world-state/tables/sorted-keys.ts";

/** Keys of which many are equal in the bytes that are compared first. */
const key = fc
  .tuple(fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 255 }), fc.constantFrom(5, 6, 31))
  .map(([front, byte, at]) => {
    const bytes = new Uint8Array(32);
    bytes[0] = front << 6;
    bytes[2] = front << 6;
    bytes[at] = byte;
    return bytes;
  });
const keys = fc.uniqueArray(key, { selector: (bytes) => Buffer.from(bytes).toString("hex"), maxLength: 60 });
type Command = { add: number } | { remove: number };
const commands = fc.array(
  fc.oneof(
    fc.record({ add: fc.integer({ min: 1, max: 25 }) }),
    fc.record({ remove: fc.integer({ min: 0, max: 1000 }) }),
  ) as fc.Arbitrary<Command>,
  { maxLength: 20 },
);

test("sorted keys stay in order with their numbers, whatever is added and removed", () => {
  fc.assert(
    fc.property(keys, commands, fc.array(key, { minLength: 5, maxLength: 5 }), (all, steps, asked) => {
      const sorted = new SortedKeys();
      const waiting = all.map((bytes, index) => ({ key: bytes, index }));
      let model: typeof waiting = [];
      for (const step of steps) {
        if ("add" in step) {
          const added = waiting.splice(0, step.add);
          sorted.add(added);
          model = [...model, ...added].sort((a, b) => Buffer.compare(a.key, b.key));
        } else if (model.length > 0) {
          const [removed] = model.splice(step.remove % model.length, 1);
          sorted.remove(removed.key);
          waiting.push(removed);
        }
        expect(sorted.length).toBe(model.length);
        for (const [at, { key: bytes, index }] of model.entries()) {
          expect(sorted.numberAt(at)).toBe(index);
          expect(sorted.compareAt(at, bytes)).toBe(0);
        }
        for (const one of [...asked, ...all.slice(0, 5)]) {
          expect(sorted.upperBound(one)).toBe(model.filter((entry) => Buffer.compare(entry.key, one) <= 0).length);
        }
      }
    }),
    { numRuns: 150 },
  );
});
