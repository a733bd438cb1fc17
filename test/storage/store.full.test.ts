import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openStore } from "../../src/storage/store.ts";
import { StoreFullError } from "../../src/storage/store-errors.ts";

const SCRIPT = join(import.meta.dirname, "full-store-process.ts");
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-full-store-test-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

/**
 * Runs the script in its own process, because a failing write of LMDB would damage this one. `before` are words that
 * precede the command.
 */
function run(before: string[], ...args: string[]) {
  const [command, ...words] = [...before, process.execPath, "--disable-warning=ExperimentalWarning", SCRIPT, ...args];
  const { status, signal, stdout, stderr } = spawnSync(command, words, { encoding: "utf8" });
  return { status, signal, stderr, result: status === 0 ? JSON.parse(stdout) : stdout };
}

test("writes that exceed the file size limit of the process are refused before LMDB makes them", () => {
  const { result, ...process } = run(["prlimit", "--fsize=20000000"], folder, "fsize");
  expect(process).toEqual({ status: 0, signal: null, stderr: "" });
  expect(result).toMatchObject({ faults: 1, rowsLost: 0, writable: false });
  expect(Object.keys(result.thrown)).toEqual(["StoreFullError disk"]);
  expect(result.thrown["StoreFullError disk"]).toBeGreaterThan(300);
});

test("on a full disk writes are refused and reads continue, and writes continue once there is room", (context) => {
  const disk = join(folder, "disk");
  mkdirSync(disk);
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=32m", "none", disk]).status === 0;
  // The test above covers the same with another limit.
  if (!mounted) return context.skip("this user may not mount a file system");
  try {
    const { result, ...process } = run([], disk);
    expect(process).toEqual({ status: 0, signal: null, stderr: "" });
    expect(result).toMatchObject({ faults: 1, rowsLost: 0, writable: true });
    expect(Object.keys(result.thrown)).toEqual(["StoreFullError disk"]);
    expect(result.thrown["StoreFullError disk"]).toBeGreaterThan(300);
  } finally {
    spawnSync("umount", [disk]);
  }
});

test("a store never exceeds its maximum size, and its rows stay readable", async () => {
  const store = openStore({ path: folder, mapSizeKb: 16 * 1024 });
  try {
    const rows = store.table("rows");
    const fill = () => {
      for (let i = 0; i < 100; i++) {
        store.transaction(() => rows.put(Buffer.from([i]), Buffer.alloc(1_000_000, i)));
      }
    };
    expect(fill).toThrow(StoreFullError);
    expect(fill).toThrow(/the store .* cannot be written: it has reached its largest size/);
    expect([...rows.range({})].length).toBeGreaterThan(8);
    expect(rows.get(Buffer.from([3]))).toEqual(Buffer.alloc(1_000_000, 3));
  } finally {
    await store.close();
  }
});
