/**
 * Prints the software bill of materials as CycloneDX JSON: what `npm sbom` says of the production packages in the lock
 * file.
 *
 *   node scripts/sbom.ts > svc.cdx.json
 *
 * The build of the image calls it with `--image FILE`. It then lists what is installed, the packages of deploy/image
 * that the image takes over, and the Debian packages of FILE, which has lines of name, version and architecture with
 * tabs between them.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import type { LockFile } from "./trim-lock.ts";

export interface Component {
  "bom-ref": string;
  type: string;
  name: string;
  version: string;
  purl: string;
}

export interface Bom {
  metadata: { component: Component & Record<string, unknown> };
  components: Component[];
  dependencies: { ref: string; dependsOn: string[] }[];
}

const ROOT = join(import.meta.dirname, "..");
/** Dependencies that the image has in other versions, from deploy/image. */
const REPLACED = /^(node-linux-(x64|arm64)|uws-pack)@/;
const RUNTIME = /^(node-linux-(x64|arm64)|@btc-vision\/uwebsockets\.js)@/;

/**
 * Of the production packages in the lock file. `--omit dev` would leave out those that a package of development depends
 * on as well, so npm is shown a lock file without that one.
 */
function npmSbom(folder: string): Bom {
  const read = (file: string) => JSON.parse(readFileSync(join(folder, file), "utf8"));
  const lock: LockFile = read("package-lock.json");
  const packages = Object.entries(lock.packages).filter(([, entry]) => !entry.dev && !entry.devOptional);
  const { "": root, ...dependencies } = Object.fromEntries(packages);
  const stage = mkdtempSync(join(tmpdir(), "svc-sbom-"));
  const write = (file: string, value: unknown): void => writeFileSync(join(stage, file), JSON.stringify(value));
  try {
    write("package.json", { ...read("package.json"), devDependencies: undefined });
    write("package-lock.json", { ...lock, packages: { "": { ...root, devDependencies: undefined }, ...dependencies } });
    const args = ["sbom", "--sbom-format", "cyclonedx", "--package-lock-only"];
    return JSON.parse(execFileSync("npm", args, { cwd: stage, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 })) as Bom;
  } finally {
    rmSync(stage, { recursive: true, force: true });
  }
}

/** References (name@version) of what is in the node_modules of a folder, by npm's record of it. */
function installed(folder: string): ReadonlySet<string> {
  const { packages }: LockFile = JSON.parse(readFileSync(join(folder, "node_modules", ".package-lock.json"), "utf8"));
  return new Set(
    Object.entries(packages).map(
      ([path, { name, version }]) => `${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`,
    ),
  );
}

/**
 * `bom` with the program as its subject. The npm package of this name is another project's, so its purl names no npm.
 */
export function ofProgram(bom: Bom): Bom {
  const { properties: _, ...component } = bom.metadata.component;
  const { version } = component;
  const subject = { ...component, type: "application", name: "svc", purl: `pkg:generic/svc@${version}` };
  return { ...bom, metadata: { ...bom.metadata, component: subject } };
}

/** The components of `bom` that `kept` accepts by their reference (name@version), and no dependency on others. */
export function only(bom: Bom, kept: (reference: string) => boolean): Bom {
  const components = bom.components.filter((component) => kept(component["bom-ref"]));
  const references = new Set([...components, bom.metadata.component].map((component) => component["bom-ref"]));
  const dependencies = bom.dependencies
    .filter(({ ref }) => references.has(ref))
    .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter((other) => references.has(other)) }));
  return { ...bom, components, dependencies };
}

/** A component for each line of `list`: name, version and architecture of a Debian package, with tabs between them. */
export function debianComponents(list: string): Component[] {
  return list
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const [name, version, architecture] = line.split("\t");
      const purl = `pkg:deb/debian/${encodeURIComponent(name)}@${encodeURIComponent(version)}?arch=${architecture}&distro=debian-13`;
      return { "bom-ref": purl, type: "library", name, version, purl };
    });
}

function ofImage(debianPackages: string): Bom {
  const runtimeFolder = join(ROOT, "deploy", "image");
  const [inTree, inRuntime] = [installed(ROOT), installed(runtimeFolder)];
  const program = only(ofProgram(npmSbom(ROOT)), (reference) => inTree.has(reference) && !REPLACED.test(reference));
  const runtime = only(npmSbom(runtimeFolder), (reference) => inRuntime.has(reference) && RUNTIME.test(reference));
  const debian = debianComponents(readFileSync(debianPackages, "utf8"));
  return { ...program, components: [...program.components, ...runtime.components, ...debian] };
}

if (import.meta.filename === process.argv[1]) {
  const { image } = parseArgs({ options: { image: { type: "string" } } }).values;
  const bom = image === undefined ? ofProgram(npmSbom(ROOT)) : ofImage(image);
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`);
}
