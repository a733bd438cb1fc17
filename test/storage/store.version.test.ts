import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore, type Store } from "../../src/storage/store.ts";

const KEY = Uint8Array.of(1);
let path: string;
let store: Store;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "svc-version-"));
  store = openStore({ path });
  store.table("rows");
});
afterEach(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const put = (value: number) => store.table("rows").put(KEY, Uint8Array.of(value));

test("a store's version is current until a transaction begins, and again once it is read after the transaction", () => {
  const before = store.version();
  expect(store.current()).toBe(before);
  store.transaction(() => {
    put(1);
    expect(store.current()).toBeUndefined();
    expect(store.version()).toBe(before);
    expect(store.current()).toBeUndefined();
    store.transaction(() => put(2));
    expect(store.current()).toBeUndefined();
  });
  expect(store.current()).toBeUndefined();
  expect(store.version()).toBe(before + 1);
  expect(store.current()).toBe(before + 1);
});

test("a store's version advances after a failed transaction", () => {
  const fails = () =>
    store.transaction(() => {
      throw new Error("given up");
    });
  const before = store.version();
  expect(fails).toThrow("given up");
  expect(store.current()).toBeUndefined();
  expect(store.version()).toBe(before + 1);
  expect(store.current()).toBe(before + 1);
});

test("a store's version is known to a reader on another thread only if it was given the store's counts", async () => {
  const asked = async (commits: SharedArrayBuffer | undefined) => {
    const worker = new Worker(new URL("./version-thread.ts", import.meta.url), {
      workerData: { path, commits },
      execArgv: ["--disable-warning=ExperimentalWarning"],
    });
    const answer = () => new Promise<unknown>((resolve) => worker.once("message", resolve));
    const first = await answer();
    store.transaction(() => put(7));
    worker.postMessage("again");
    const second = await answer();
    await worker.terminate();
    return [first, second];
  };
  const version = store.version();
  expect(await asked(store.commits)).toEqual([
    { current: version, asked: version, value: undefined },
    { current: undefined, asked: version + 1, value: 7 },
  ]);
  expect(await asked(undefined)).toEqual([
    { current: undefined, asked: 0, value: 7 },
    { current: undefined, asked: 0, value: 7 },
  ]);
});
