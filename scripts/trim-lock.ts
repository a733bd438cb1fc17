/**
 * Removes from the lock files the optional packages of platforms that the package.json beside them does not name. npm
 * writes them back whenever a package changes; the registry may not offer them, and then their entries have no
 * integrity.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** `os`, `cpu` and `libc` of a package.json or of an entry of a lock file; an absent list means any. */
export interface Platform {
  os?: string | string[];
  cpu?: string | string[];
  libc?: string | string[];
}

export interface LockedPackage extends Platform {
  /** Where the folder has another name: an alias. */
  name?: string;
  version?: string;
  integrity?: string;
  resolved?: string;
  link?: boolean;
  optional?: boolean;
  dev?: boolean;
  /** Of development, and of production as an optional package only. */
  devOptional?: boolean;
  /** Part of the archive of the package above it. */
  inBundle?: boolean;
  optionalDependencies?: Record<string, string>;
}

export interface LockFile {
  packages: Record<string, LockedPackage>;
}

const ROOT = join(import.meta.dirname, "..");

/**
 * The lock without the optional packages that cannot be installed on `platform`, and without their names in the entries
 * that depend on them: npm ci refuses a lock that names a package without an entry.
 */
export function trimLock<T extends LockFile>(lock: T, platform: Platform): T {
  const entries = Object.entries(lock.packages);
  const foreign = new Set(
    entries.filter(([, entry]) => entry.optional && !fits(entry, platform)).map(([path]) => path),
  );
  const kept = entries.filter(([path]) => !foreign.has(path));
  const names = new Set(kept.map(([path]) => path.slice(path.lastIndexOf("node_modules/") + 13)));
  return { ...lock, packages: Object.fromEntries(kept.map(([path, entry]) => [path, withOnly(entry, names)])) };
}

function fits(entry: Platform, platform: Platform): boolean {
  return (["os", "cpu", "libc"] as const).every((key) => {
    const [allowed, wanted] = [entry[key], platform[key]];
    return (
      allowed === undefined || wanted === undefined || [wanted].flat().some((value) => [allowed].flat().includes(value))
    );
  });
}

function withOnly(entry: LockedPackage, names: ReadonlySet<string>): LockedPackage {
  const { optionalDependencies, ...rest } = entry;
  if (optionalDependencies === undefined) return entry;
  const kept = Object.entries(optionalDependencies).filter(([name]) => names.has(name));
  return kept.length === 0 ? rest : { ...entry, optionalDependencies: Object.fromEntries(kept) };
}

if (import.meta.filename === process.argv[1]) {
  for (const folder of ["", "conformance", "conformance/4.3", "deploy/image"]) {
    const platform = JSON.parse(readFileSync(join(ROOT, folder, "package.json"), "utf8")) as Platform;
    const file = join(ROOT, folder, "package-lock.json");
    const lock = JSON.parse(readFileSync(file, "utf8")) as LockFile;
    writeFileSync(file, `${JSON.stringify(trimLock(lock, platform), null, 2)}\n`);
  }
}
