import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { type LockFile, trimLock } from "../../scripts/trim-lock.ts";

const ROOT = join(import.meta.dirname, "..", "..");

test.each([
  ["package-lock.json", 200],
  ["conformance/package-lock.json", 200],
  ["conformance/4.3/package-lock.json", 200],
  ["deploy/image/package-lock.json", 10],
])("every package in %s has an integrity, and none names a host", (file, least) => {
  const { packages } = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as LockFile;
  const locked = Object.entries(packages).filter(([path]) => path !== "");
  expect(locked.length).toBeGreaterThan(least);
  expect(locked.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
  expect(
    locked.filter(([, { integrity, inBundle }]) => integrity === undefined && !inBundle).map(([path]) => path),
  ).toEqual([]);
});

test("trimming a lock file removes optional packages of other platforms and their names in the packages above", () => {
  const linux = { optional: true, os: ["linux"], cpu: ["x64"], libc: ["glibc"] };
  const lock = {
    packages: {
      "": { optionalDependencies: { "one-linux": "1.0.0" } },
      "node_modules/one": { optionalDependencies: { "one-linux": "1.0.0", "one-musl": "1.0.0" } },
      "node_modules/one/node_modules/one-musl": { ...linux, libc: ["musl"] },
      "node_modules/one-linux": linux,
      "node_modules/two": { optionalDependencies: { "@two/mac": "1.0.0" } },
      "node_modules/@two/mac": { optional: true, os: "darwin" },
      "node_modules/required": { os: ["darwin"] },
    },
  };
  expect(trimLock(lock, { os: ["linux"], cpu: ["x64"], libc: ["glibc"] }).packages).toEqual({
    "": { optionalDependencies: { "one-linux": "1.0.0" } },
    "node_modules/one": { optionalDependencies: { "one-linux": "1.0.0" } },
    "node_modules/one-linux": linux,
    "node_modules/two": {},
    "node_modules/required": { os: ["darwin"] },
  });
});
