import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/storage/store.ts";
import { StoreCorruptedError, type StoreFault, storeError } from "../../src/storage/store-errors.ts";

const PAGE = 4096;
const BRANCH = 1;
const ROWS = 2_000;
const keyOf = (i: number) => Buffer.from(String(i).padStart(8, "0"));
let path: string;

/** A store with a branch page that names a child far beyond the end of the file, as after a bit flip. */
beforeEach(async () => {
  path = mkdtempSync(join(tmpdir(), "svc-damaged-store-"));
  const store = openStore({ path });
  const rows = store.table("rows");
  store.transaction(() => {
    for (let i = 0; i < ROWS; i++) rows.put(keyOf(i), Buffer.alloc(200, i));
  });
  await store.close();
  const file = join(path, "data.mdb");
  const bytes = readFileSync(file);
  for (let at = 2 * PAGE; at < bytes.length; at += PAGE) {
    if ((bytes.readUInt16LE(at + 18) & 0x0f) !== BRANCH) continue;
    const entries = bytes.readUInt16LE(at + 20) >> 1;
    const node = at + 24 + bytes.readUInt16LE(at + 24 + 2 * (entries - 1));
    bytes[node + 3] ^= 0x40;
  }
  writeFileSync(file, bytes);
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

test("a missing page is reported by its LMDB error name to the reader and to the owner of the store", async () => {
  const faults: StoreFault[] = [];
  const store = openStore({ path, onFault: (fault) => faults.push(fault) });
  try {
    const rows = store.table("rows");
    expect(rows.get(keyOf(0))).toEqual(Buffer.alloc(200, 0));
    expect(faults).toEqual([]);
    expect(() => rows.get(keyOf(ROWS - 1))).toThrow(/LMDB found MDB_PAGE_NOTFOUND. `svc db check` lists what is wrong/);
    expect(faults).toHaveLength(1);
    expect(() => store.transaction(() => rows.borrow(keyOf(ROWS - 1)))).toThrow(StoreCorruptedError);
    expect(faults).toHaveLength(2);
  } finally {
    await store.close();
  }
});

test("the owner of a store is notified of damage that a reader on another thread finds", async () => {
  const faults: StoreFault[] = [];
  const store = openStore({ path, onFault: (fault) => faults.push(fault) });
  const reader = openStore({ path, readOnly: true, commits: store.commits });
  try {
    expect(() => reader.table("rows").get(keyOf(ROWS - 1))).toThrow(StoreCorruptedError);
    await expect.poll(() => faults).toHaveLength(1);
    expect(faults[0].message).toContain("a reading thread found a damaged page");
  } finally {
    await reader.close();
    await store.close();
  }
});

test.each([
  [-30797, "MDB_PAGE_NOTFOUND"],
  [-30796, "MDB_CORRUPTED"],
  [-30795, "MDB_PANIC"],
  [-30793, "MDB_INVALID"],
  [-30787, "MDB_CURSOR_FULL"],
  [-30786, "MDB_PAGE_FULL"],
  [-30784, "MDB_INCOMPATIBLE"],
  [-30782, "MDB_BAD_TXN"],
  [-30779, "MDB_PROBLEM"],
])("LMDB's code %i is damage of the store, in the line that names svc db check", (code, name) => {
  const found = storeError("/data/chain", Object.assign(new Error("of LMDB"), { code }));
  expect(found).toBeInstanceOf(StoreCorruptedError);
  expect((found as Error).message).toBe(
    `the store /data/chain is corrupted: LMDB found ${name}. \`svc db check\` lists what is wrong with it`,
  );
});

test("LMDB's codes for a wrong key, a full map and too many readers are no damage", () => {
  for (const code of [-30781, -30792, -30790]) {
    expect(storeError("/data/chain", Object.assign(new Error(), { code }))).not.toBeInstanceOf(StoreCorruptedError);
  }
});
