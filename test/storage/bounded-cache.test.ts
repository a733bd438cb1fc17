import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedCache } from "../../src/storage/bounded-cache.ts";

test("a bounded cache never exceeds its bytes and never returns a wrong value", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(60), { maxLength: 400 }), fc.integer({ min: 2, max: 20 }), (keys, entries) => {
      const cache = new BoundedCache<number>({ bytes: entries * 10, entryBytes: 10 });
      for (const key of keys) {
        const found = cache.get(String(key));
        expect(found === undefined || found === key).toBe(true);
        cache.set(String(key), key);
        expect(cache.get(String(key))).toBe(key);
        expect(cache.size).toBeLessThanOrEqual(entries);
      }
    }),
  );
});

test("a bounded cache keeps entries that are read", () => {
  const cache = new BoundedCache<number>({ bytes: 100, entryBytes: 10 });
  cache.set("kept", 1);
  for (let i = 0; i < 1000; i++) {
    cache.set(`passing ${i}`, i);
    expect(cache.get("kept")).toBe(1);
  }
  expect(cache.get("passing 5")).toBeUndefined();
});
