import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Plugin } from "vite";

const ROOT = join(import.meta.dirname, "../..");
const SOURCES = join(ROOT, "src/");

/** Modules of `npm run build:modules`, which Vitest leaves to Node.js. */
export const BUILT_MODULES = /\/build\/src\//;

const builtPath = (source: string) => join(ROOT, "build/src", source.slice(SOURCES.length).replace(/\.ts$/, ".js"));
const changedAt = (path: string) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;

/** Throws where a source file has changed since it was built. */
export function expectBuilt(): void {
  const sources = readdirSync(SOURCES, { recursive: true, encoding: "utf8" }).map((name) => join(SOURCES, name));
  const stale = sources.find((path) => /(?<!\.d)\.ts$/.test(path) && changedAt(builtPath(path)) < changedAt(path));
  if (stale !== undefined) throw new Error(`${stale} is newer than its built module. Run: npm run build:modules`);
}

/** Whether a test replaces modules, which it cannot where Node.js imports them. */
export const replacesModules = (text: string): boolean => /\bvi\.(mock|doMock|resetModules)\(/.test(text);

/**
 * Tests import built modules in place of `src/*.ts`. Vitest then transforms only the tests, Node.js keeps what it
 * compiled of the rest, and threads that a module starts need not strip types of a hundred files each.
 */
export const builtSources: Plugin = {
  name: "built sources",
  enforce: "pre",
  resolveId(specifier, importer) {
    if (!specifier.startsWith(".") || importer === undefined) return undefined;
    const source = resolve(dirname(importer), specifier);
    if (!source.startsWith(SOURCES) || !source.endsWith(".ts")) return undefined;
    const built = builtPath(source);
    return existsSync(built) ? built : undefined;
  },
};
