import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

interface LockedPackage {
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  os?: string[];
  cpu?: string[];
  libc?: string[];
}

const ROOT = join(import.meta.dirname, "..", "..");

function packagesOf(file: string): [string, LockedPackage][] {
  const { packages } = JSON.parse(readFileSync(join(ROOT, file), "utf8")) as {
    packages: Record<string, LockedPackage>;
  };
  return Object.entries(packages).filter(([path, { link }]) => path !== "" && link !== true);
}

/** An optional binary for another system than Linux on x64 with glibc, on which the lock files are written. */
function isForeignBinary({ optional, os, cpu, libc }: LockedPackage): boolean {
  const here =
    (os ?? ["linux"]).includes("linux") && (cpu ?? ["x64"]).includes("x64") && (libc ?? ["glibc"]).includes("glibc");
  return optional === true && !here;
}

test.each(["package-lock.json", "conformance/package-lock.json"])(
  "every package that %s can install on Linux x64 has an integrity, and none names a host",
  (file) => {
    const packages = packagesOf(file);
    expect(packages.length).toBeGreaterThan(200);
    expect(packages.filter(([, { resolved }]) => resolved !== undefined).map(([path]) => path)).toEqual([]);
    const bare = packages.filter((entry) => entry[1].integrity === undefined && !isForeignBinary(entry[1]));
    expect(bare.map(([path]) => path)).toEqual([]);
  },
);
