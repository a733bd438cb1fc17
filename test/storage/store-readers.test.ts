import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ReaderWatch } from "../../src/storage/reader-watch.ts";
import { openStore, type Store } from "../../src/storage/store.ts";
import type { StoreReader } from "../../src/storage/store-readers.ts";
import { recordingLogger } from "../world/rpc/fakes.ts";

let path: string;
let store: Store;

beforeEach(() => {
  path = mkdtempSync(join(tmpdir(), "svc-readers-"));
  store = openStore({ path });
  store.table("rows");
});
afterEach(async () => {
  await store.close();
  rmSync(path, { recursive: true, force: true });
});

const commit = (value: number) =>
  store.transaction(() => store.table("rows").put(Uint8Array.of(1), Uint8Array.of(value)));

test("a store tells which process reads an old snapshot, until that process is gone", async () => {
  const reading = spawn(
    process.execPath,
    ["--disable-warning=ExperimentalWarning", join(import.meta.dirname, "reading-process.ts"), path],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  await once(reading.stdout, "data");
  for (let i = 0; i < 3; i++) commit(i);
  // It never gives its event loop a turn, so its snapshot stays.
  const own = () => store.readers().filter(({ pid }) => pid === reading.pid);
  expect(own()).toEqual([{ pid: reading.pid, thread: expect.any(String), behind: 3 }]);
  expect(store.stats().readerLag).toBeGreaterThanOrEqual(3);
  reading.kill("SIGKILL");
  await once(reading, "exit");
  expect(own()).toEqual([]);
});

test("the watch warns once of a snapshot that is read for a minute while commits go on", () => {
  let now = 0;
  let readers: StoreReader[] = [];
  const log = recordingLogger();
  const watch = new ReaderWatch({ readers: () => readers }, log, () => now);
  const look = (seconds: number, ...behind: number[]) => {
    now = seconds * 1_000;
    readers = behind.map((commits, i) => ({ pid: 70 + i, thread: "ff", behind: commits }));
    watch.look();
    return log.entries.splice(0).map(({ facts }) => facts);
  };
  expect(look(0, 3, 0)).toEqual([]);
  expect(look(50, 5, 0)).toEqual([]);
  expect(look(60, 5, 0)).toEqual([{ pid: 70, commits: 5, seconds: 60 }]);
  expect(look(200, 9, 0)).toEqual([]);
  // Another snapshot of the same thread.
  expect(look(210, 1, 0)).toEqual([]);
  expect(look(260, 4, 2)).toEqual([]);
  expect(look(271, 4, 2)).toEqual([{ pid: 70, commits: 4, seconds: 61 }]);
  watch.stop();
});
