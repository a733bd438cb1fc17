import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { RangeOptions } from "../../src/storage/table.ts";

const path = mkdtempSync(join(tmpdir(), "svc-borrowed-"));
let store: Store;
beforeAll(() => {
  store = openStore({ path });
});
afterAll(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const bytes = (minLength: number, maxLength: number) =>
  fc.oneof(fc.uint8Array({ minLength, maxLength: 3 }), fc.uint8Array({ minLength, maxLength }));
/** Larger than lmdb's read buffer, so lmdb takes another one. */
const large = fc.integer({ min: 5_000, max: 70_000 }).map((length) => new Uint8Array(length).fill(length % 251));
const row = fc.record({ key: bytes(1, 60), value: fc.oneof(bytes(0, 200), large) });
const options: fc.Arbitrary<RangeOptions> = fc.record(
  { start: bytes(1, 3), reverse: fc.boolean(), limit: fc.integer({ min: 1, max: 4 }) },
  { requiredKeys: [] },
);

test("scan, borrowAtOrBefore and readInto give the results of range, atOrBefore and get, in and outside of transactions", () => {
  fc.assert(
    fc.property(fc.array(row, { maxLength: 12 }), options, bytes(1, 3), (rows, asked, absent) => {
      const table = store.table("rows");
      const compare = (): void => {
        const scanned: string[] = [];
        for (const { key, value } of table.scan(asked)) scanned.push(Buffer.concat([key, value]).toString("hex"));
        const ranged = [...table.range(asked)].map(({ key, value }) => Buffer.concat([key, value]).toString("hex"));
        expect(scanned).toEqual(ranged);
        for (const key of [...rows.map((stored) => stored.key), absent]) {
          const value = table.get(key);
          const out = new Uint8Array(70_001).fill(7);
          expect(table.readInto(key, out)).toBe(value?.length ?? -1);
          expect(Buffer.compare(out.subarray(0, value?.length ?? 0), value ?? new Uint8Array())).toBe(0);
          expect(out[value?.length ?? 0]).toBe(7);
          const borrowed = table.borrowAtOrBefore(key);
          const copy = borrowed && { key: Buffer.from(borrowed.key), value: Buffer.from(borrowed.value) };
          expect(copy).toEqual(table.atOrBefore(key));
        }
      };
      store.transaction(() => {
        table.clear();
        for (const { key, value } of rows) table.put(key, value);
        compare();
      });
      compare();
    }),
    { numRuns: 60 },
  );
});

test("a value that does not fit into the buffer is refused", () => {
  const table = store.table("one");
  const key = Uint8Array.of(1);
  store.transaction(() => table.put(key, new Uint8Array(9)));
  expect(() => table.readInto(key, new Uint8Array(8))).toThrow(RangeError);
});

test("the key of one zero byte is found like any other, forwards and backwards", () => {
  const table = store.table("zero");
  const entry = { key: Buffer.of(0), value: Buffer.of(9) };
  store.transaction(() => table.put(entry.key, entry.value));
  for (const key of [Uint8Array.of(0), Uint8Array.of(7)]) {
    expect(table.atOrBefore(key)).toEqual(entry);
    expect(Buffer.from(table.borrowAtOrBefore(key)?.value ?? [])).toEqual(entry.value);
  }
  expect(table.atOrAfter(entry.key)).toEqual(entry);
  expect([...table.range({ reverse: true })]).toEqual([entry]);
});
