import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "../../src/storage/store.ts";

const KEY = Uint8Array.of(1);
let path: string;
let store: Store;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "svc-commits-"));
  store = openStore({ path });
  store.table("rows");
});
afterEach(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const commit = (value: number) => store.transaction(() => store.table("rows").put(KEY, Uint8Array.of(value)));

test("calls each listener after a commit, with the commit readable", async () => {
  const seen: (number | undefined)[] = [];
  let calls = 0;
  store.onCommit(() => seen.push(store.table("rows").get(KEY)?.[0]));
  const unsubscribe = store.onCommit(() => calls++);
  commit(7);
  await expect.poll(() => seen.at(-1)).toBe(7);
  expect(calls).toBeGreaterThan(0);
  unsubscribe();
  const before = calls;
  commit(8);
  await expect.poll(() => seen.at(-1)).toBe(8);
  expect(calls).toBe(before);
});

test("the commit watch of a store reports a commit that a listener made", async () => {
  let value = 1;
  store.onCommit(() => {
    if (value < 5) commit(++value);
  });
  commit(value);
  await expect.poll(() => value).toBe(5);
});

test("the commit watch of a store reports commits to a reader that shares the counts", async () => {
  const reader = openStore({ path, readOnly: true, commits: store.commits });
  let seen: number | undefined;
  reader.onCommit(() => {
    reader.version();
    seen = reader.table("rows").get(KEY)?.[0];
  });
  commit(9);
  await expect.poll(() => seen).toBe(9);
  await reader.close();
});

test("the commit watch of a store reports commits to a reader that takes the store for another process's", async () => {
  const reader = openStore({ path, readOnly: true, anotherProcess: true });
  let seen: number | undefined;
  reader.onCommit(() => {
    reader.version();
    seen = reader.table("rows").get(KEY)?.[0];
  });
  commit(3);
  await expect.poll(() => seen).toBe(3);
  expect(reader.current(), "a commit of another process may be unknown yet").toBeUndefined();
  await reader.close();
});
