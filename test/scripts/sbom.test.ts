import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { packedManifest } from "../../scripts/pack.ts";
import { type Bom, debianComponents, only } from "../../scripts/sbom.ts";
import type { LockFile } from "../../scripts/trim-lock.ts";

const ROOT = join(import.meta.dirname, "..", "..");
const lock: LockFile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8"));
const manifest = JSON.parse(readFileSync(join(ROOT, "package.json"), "utf8"));

test("the bill of materials has each production package of the lock file with its hash, and is not about another svc", () => {
  const script = join(ROOT, "scripts", "sbom.ts");
  const bom: Bom & { bomFormat: string } = JSON.parse(
    execFileSync(process.execPath, [script], { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] }),
  );
  expect(bom.bomFormat).toBe("CycloneDX");
  expect(bom.metadata.component).toMatchObject({
    name: "svc",
    type: "application",
    purl: `pkg:generic/svc@${manifest.version}`,
  });
  const listed = new Set(bom.components.map((component) => component["bom-ref"]));
  const production = Object.entries(lock.packages).filter(
    ([path, entry]) => path !== "" && !entry.dev && !entry.devOptional,
  );
  for (const [path, { name, version }] of production) {
    expect(listed).toContain(`${name ?? path.slice(path.lastIndexOf("node_modules/") + 13)}@${version}`);
  }
  for (const component of bom.components) expect(component).toHaveProperty("hashes");
});

test("a bill of materials that is cut down depends on nothing that it does not list", () => {
  const component = (name: string) => ({ "bom-ref": name, type: "library", name, version: "1", purl: name });
  const bom = {
    metadata: { component: component("root") },
    components: [component("a"), component("b")],
    dependencies: [
      { ref: "root", dependsOn: ["a", "b"] },
      { ref: "a", dependsOn: ["b"] },
      { ref: "b", dependsOn: [] },
    ],
  };
  const cut = only(bom, (reference) => reference !== "b");
  expect(cut.components).toEqual([component("a")]);
  expect(cut.dependencies).toEqual([
    { ref: "root", dependsOn: ["a"] },
    { ref: "a", dependsOn: [] },
  ]);
});

test("a Debian package becomes a component with the package URL of Debian", () => {
  expect(debianComponents("libstdc++6\t14.2.0-19\tamd64\n")).toEqual([
    {
      "bom-ref": "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64&distro=debian-13",
      type: "library",
      name: "libstdc++6",
      version: "14.2.0-19",
      purl: "pkg:deb/debian/libstdc%2B%2B6@14.2.0-19?arch=amd64&distro=debian-13",
    },
  ]);
});

test("the npm package pins what the lock file has at the top of the tree, with its aliases", () => {
  const packed = packedManifest(manifest, lock);
  expect(packed).toMatchObject({ name: "svc", private: true, bin: manifest.bin });
  expect(packed).not.toHaveProperty("scripts");
  expect(packed).not.toHaveProperty("devDependencies");
  for (const [name, version] of Object.entries(manifest.dependencies)) {
    expect(packed.dependencies).toHaveProperty([name], version);
  }
  const versions = Object.values({ ...packed.dependencies, ...packed.optionalDependencies });
  expect(versions.length).toBeGreaterThan(150);
  for (const version of versions) expect(version).toMatch(/^(npm:(@[^@]+|[^@]+)@)?\d+\.\d+\.\d+/);
  expect(Object.keys(packed.optionalDependencies!).filter((name) => name.startsWith("node-linux"))).toEqual([]);
});
