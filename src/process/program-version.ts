import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Root folder of the package: the nearest parent with a package.json, both in the source tree and in the build. */
export function packageRoot(): string {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, "package.json")) && dirname(folder) !== folder) folder = dirname(folder);
  return folder;
}

export function programVersion(): string {
  const { version }: { version: string } = JSON.parse(readFileSync(join(packageRoot(), "package.json"), "utf8"));
  return version;
}
