/**
 * Writes each source file as a module of its own to build/src, for tests, with types removed and the endings of imports
 * changed, and data beside them. Types are not checked here, `npm run lint` does that.
 *
 *   node scripts/build-modules.ts
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { transform } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");
const MODULES = join(ROOT, "build/src");

/** Of a static or dynamic import of a source file, up to its ending. */
const IMPORT = /(\b(?:from|import) ?\(?"\.{1,2}\/[^"\n]+)\.ts"/g;

const names = readdirSync(SOURCE, { recursive: true, encoding: "utf8" });
await Promise.all(
  names
    .filter((name) => /(?<!\.d)\.ts$/.test(name))
    .map(async (name) => {
      const { code } = await transform(readFileSync(join(SOURCE, name), "utf8"), {
        loader: "ts",
        target: "node22",
        sourcefile: name,
        tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
      });
      const path = join(MODULES, name.replace(/\.ts$/, ".js"));
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, code.replaceAll(IMPORT, '$1.js"'));
    }),
);
cpSync(SOURCE, MODULES, { recursive: true, filter: (path) => !path.endsWith(".ts") });
