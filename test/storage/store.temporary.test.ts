import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/storage/store.ts";

let path: string;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "svc-temporary-store-"));
});

afterEach(() => rmSync(path, { recursive: true, force: true }));

const key = Buffer.from("key");

test("shows the commits of a temporary store to readers of the same folder", async () => {
  const store = openStore({ path, temporary: true });
  const table = store.table("values");
  store.transaction(() => table.put(key, Buffer.from("first")));
  const reader = openStore({ path, readOnly: true, commits: store.commits });
  expect(reader.table("values").get(key)).toEqual(Buffer.from("first"));
  store.transaction(() => table.put(key, Buffer.from("second")));
  reader.version();
  expect(reader.table("values").get(key)).toEqual(Buffer.from("second"));
  await reader.close();
  await store.close();
});

test("writes nothing of a transaction of a temporary store that throws", async () => {
  const store = openStore({ path, temporary: true });
  const table = store.table("values");
  store.transaction(() => table.put(key, Buffer.from("kept")));
  const failing = () =>
    store.transaction(() => {
      table.put(key, Buffer.from("dropped"));
      throw new Error("stop");
    });
  expect(failing).toThrow("stop");
  expect(table.get(key)).toEqual(Buffer.from("kept"));
  await store.close();
});
