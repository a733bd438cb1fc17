/**
 * Writes svc-<version>.tgz to a folder (default: build/): an npm package of what runs, with its dependencies at the
 * versions of the lock file. Needs a build.
 *
 *   node scripts/pack.ts [folder]
 *   npm install --global build/svc-0.1.0.tgz
 */
import { execFileSync } from "node:child_process";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { LockedPackage, LockFile } from "./trim-lock.ts";

const ROOT = join(import.meta.dirname, "..");
const FILES = ["build/svc", "build/wasm", "build/l1-artifacts", "data", "LICENSE", "README.md"];
/** The runtime of a checkout. Whoever installs the package has one. */
const OWN_RUNTIME = /^node-linux-/;

export interface Manifest {
  dependencies?: Record<string, string>;
  optionalDependencies?: Record<string, string>;
  devDependencies?: Record<string, string>;
  scripts?: Record<string, string>;
  [field: string]: unknown;
}

/**
 * The manifest of the package: nothing that only a checkout can use, and every package that the lock file has at the
 * top of the tree as a dependency of exactly that version. npm reads no lock file of a dependency, so packages further
 * down would otherwise be the newest in their ranges.
 */
export function packedManifest(manifest: Manifest, lock: LockFile): Manifest {
  const { devDependencies: _, scripts: __, ...kept } = manifest;
  const pinned = (optional: boolean): Record<string, string> =>
    Object.fromEntries(topOfTree(lock).filter(([, , entry]) => (entry.optional ?? false) === optional));
  return {
    ...kept,
    files: [...FILES, "svc.cdx.json"],
    dependencies: pinned(false),
    optionalDependencies: pinned(true),
  };
}

/** Name, version as a manifest has it, and entry of each package that is installed at the top of the tree. */
function topOfTree({ packages }: LockFile): [string, string, LockedPackage][] {
  return Object.entries(packages).flatMap(([path, entry]) => {
    const name = /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1];
    if (name === undefined || entry.dev || entry.devOptional || OWN_RUNTIME.test(name)) return [];
    return [[name, entry.name === undefined ? entry.version! : `npm:${entry.name}@${entry.version}`, entry]];
  });
}

/** Path of the written file. */
function pack(folder: string): string {
  const manifest: Manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));
  const lock: LockFile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
  const stage = mkdtempSync(join(tmpdir(), "svc-pack-"));
  try {
    for (const file of FILES) {
      cpSync(join(ROOT, file), join(stage, file), { recursive: true, filter: (path) => !path.endsWith(".map") });
    }
    writeFileSync(join(stage, "package.json"), `${JSON.stringify(packedManifest(manifest, lock), null, 2)}\n`);
    const bom = execFileSync(process.execPath, [join(import.meta.dirname, "sbom.ts")], { encoding: "utf8" });
    writeFileSync(join(stage, "svc.cdx.json"), bom);
    mkdirSync(folder, { recursive: true });
    const options = { cwd: stage, encoding: "utf8" as const, stdio: ["ignore", "pipe", "inherit"] as const };
    const [{ filename }] = JSON.parse(
      execFileSync("npm", ["pack", "--json", "--pack-destination", folder], { ...options, stdio: [...options.stdio] }),
    );
    return join(folder, filename);
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

if (import.meta.filename === process.argv[1]) {
  process.stdout.write(`${pack(resolve(process.argv[2] ?? join(ROOT, "build")))}\n`);
}
