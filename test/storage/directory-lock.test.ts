import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { DirectoryLockedError, lockDirectory } from "../../src/storage/directory-lock.ts";

let folder: string;
const file = () => join(folder, "svc.lock");
const ignore = () => {};

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "svc-lock-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

test("one process at a time holds a directory, and can release it", () => {
  const held = lockDirectory(folder, ignore);
  expect(() => lockDirectory(folder, ignore)).toThrow(DirectoryLockedError);
  expect(() => lockDirectory(folder, ignore)).toThrow(`process ${process.pid}`);
  held.release();
  expect(existsSync(file())).toBe(false);
  lockDirectory(folder, ignore).release();
});

test("the lock of a process that no longer runs is taken over", () => {
  lockDirectory(folder, ignore);
  const record = JSON.parse(readFileSync(file(), "utf8"));
  writeFileSync(file(), JSON.stringify({ ...record, started: "1" }));
  lockDirectory(folder, ignore).release();
  writeFileSync(file(), "half a rec");
  lockDirectory(folder, ignore).release();
});

test("the lock of another container is respected until it has been silent for a while", () => {
  lockDirectory(folder, ignore);
  const record = JSON.parse(readFileSync(file(), "utf8"));
  writeFileSync(file(), JSON.stringify({ ...record, place: "elsewhere" }));
  expect(() => lockDirectory(folder, ignore)).toThrow("another machine or container");
  const past = new Date(Date.now() - 60_000);
  utimesSync(file(), past, past);
  lockDirectory(folder, ignore).release();
});
