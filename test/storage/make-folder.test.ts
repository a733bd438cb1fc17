import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import { makeFolder } from "../../src/storage/make-folder.ts";

const root = mkdtempSync(join(tmpdir(), "svc-folder-"));
afterAll(() => rmSync(root, { recursive: true }));

test("folders above a new one are made with its mode, and one that is there stays", () => {
  makeFolder(join(root, "a/b/c"), 0o700);
  makeFolder(join(root, "a/b/c"), 0o755);
  expect(["a", "a/b", "a/b/c"].map((name) => statSync(join(root, name)).mode & 0o777)).toEqual([0o700, 0o700, 0o700]);
});

test.each([
  ["where the system makes none", "/proc/svc/data", "ENOENT"],
  ["below a file", join(root, "file/data"), "ENOTDIR"],
  ["instead of a file", join(root, "file"), "EEXIST"],
])("a folder %s ends with the system's error", (_, path, code) => {
  writeFileSync(join(root, "file"), "");
  expect(() => makeFolder(path)).toThrow(expect.objectContaining({ code }));
});
