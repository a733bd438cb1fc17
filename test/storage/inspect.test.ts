import { copyFileSync, mkdirSync, mkdtempSync, rmSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { DamagedStoreError, inspectStore } from "../../src/storage/inspect.ts";
import { openStore } from "../../src/storage/store.ts";

const folder = mkdtempSync(join(tmpdir(), "svc-inspect-"));
const whole = join(folder, "whole");
const file = join(whole, "data.mdb");
const key = (n: number): Uint8Array => Buffer.from(`key ${n}`);

beforeAll(async () => {
  const store = openStore({ path: whole });
  const [small, large] = [store.table("small"), store.table("large")];
  store.transaction(() => {
    for (let n = 0; n < 3000; n++) small.put(key(n), Buffer.alloc(300, n));
    large.put(key(0), Buffer.alloc(200_000));
  });
  // Pages of values that are added and removed in one transaction are never written, so the file ends before its last
  // page number.
  store.transaction(() => {
    for (let n = 1; n < 300; n++) large.put(key(n), Buffer.alloc(30_000));
    for (let n = 1; n < 300; n++) large.remove(key(n));
  });
  store.transaction(() => small.put(key(0), key(1)));
  await store.close();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function copyOf(name: string): string {
  const copy = join(folder, name);
  mkdirSync(copy);
  copyFileSync(file, join(copy, "data.mdb"));
  return copy;
}

describe("a store that may be opened", () => {
  test("a new folder, an empty file and an undamaged store may be opened", () => {
    const fresh = join(folder, "fresh");
    mkdirSync(fresh);
    expect(() => inspectStore(fresh)).not.toThrow();
    writeFileSync(join(fresh, "data.mdb"), "");
    expect(() => inspectStore(fresh)).not.toThrow();
    expect(() => inspectStore(whole)).not.toThrow();
  });

  test("a store may lack pages that nothing uses", async () => {
    const copy = copyOf("reopened");
    inspectStore(copy);
    const store = openStore({ path: copy });
    expect([...store.table("small").range({})]).toHaveLength(3000);
    await store.close();
  });
});

describe("a damaged store", () => {
  test.each([1, 100, 4096, 8191, 8192, 100_000])("a store that is cut to %i bytes is refused", (length) => {
    const copy = copyOf(`cut-${length}`);
    truncateSync(join(copy, "data.mdb"), length);
    expect(() => inspectStore(copy)).toThrow(DamagedStoreError);
    expect(() => inspectStore(copy)).toThrow(`ends after ${length} bytes`);
  });

  test("a store that is cut in the middle is refused", () => {
    const copy = copyOf("half");
    truncateSync(join(copy, "data.mdb"), Math.floor(statSync(file).size / 2));
    expect(() => inspectStore(copy)).toThrow(/page \d+ of 4096 bytes is in use/);
  });

  test("a file that is not a store is refused with its name", () => {
    const copy = copyOf("garbage");
    writeFileSync(join(copy, "data.mdb"), Buffer.alloc(20_000, "not a database "));
    expect(() => inspectStore(copy)).toThrow(
      `database file ${join(copy, "data.mdb")} is damaged: its first page is not`,
    );
  });
});
