/**
 * Makes the program from the sources: build/svc has main.js, one file for each kind of thread and child process, and
 * the code that they share. A start then reads about a hundred files in place of two thousand, which makes it three
 * times as fast. Types are not checked here, `npm run lint` does that.
 *
 *   node scripts/bundle.ts
 */
import { cpSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { build, type Plugin } from "esbuild";

const ROOT = join(import.meta.dirname, "..");
const SOURCE = join(ROOT, "src");
const PROGRAM = join(ROOT, "build/svc");

/** Packages with native code, with workers of their own, or that are found by their folder. */
const EXTERNAL = [
  "@aztec/bb.js",
  "@crate-crypto/node-eth-kzg",
  "lmdb",
  "pg",
  "pino",
  "piscina",
  "secp256k1",
  "snappy",
  "uWebSockets.js",
];

function sources(): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".ts") && !path.startsWith("status/page/"))
    .map((path) => join(SOURCE, path));
}

/** Files that threads and child processes start with. */
function startFiles(paths: readonly string[]): string[] {
  return paths.flatMap((path) =>
    [...readFileSync(path, "utf8").matchAll(/moduleBeside\(import\.meta\.url, "([^"]+)"\)/g)].map(([, name]) =>
      join(dirname(path), `${name}.ts`),
    ),
  );
}

/**
 * A module finds data, and the files of threads, relative to its own place. In a bundle that is the place that it would
 * have in build/svc by itself.
 */
const OWN_PLACES: Plugin = {
  name: "own places",
  setup({ onLoad }) {
    onLoad({ filter: /\/src\/.*\.ts$/ }, ({ path }) => {
      const text = readFileSync(path, "utf8");
      if (!text.includes("import.meta")) return undefined;
      const place = JSON.stringify(relative(SOURCE, path).replace(/\.ts$/, ".js"));
      return { contents: text.replaceAll("import.meta.url", `new URL(${place}, programFolder).href`), loader: "ts" };
    });
  },
};

/**
 * Built-in modules whose named exports are read when a module imports them, and some of which load more: those of
 * node:http all of undici, which takes a tenth of a thread's start. Taken as an object, they are read when used.
 */
const READ_WHEN_USED: Plugin = {
  name: "built-in modules read when used",
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^(node:)?(http|crypto)$/ }, ({ path }) => ({
      path: path.replace(/^(node:)?/, "node:"),
      namespace: "built-in",
    }));
    onLoad({ filter: /.*/, namespace: "built-in" }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule(${JSON.stringify(path)});`,
      loader: "js",
    }));
  },
};

/** Of every file: packages in CommonJS need `require`. */
const HEAD = [
  'import { createRequire as createProgramRequire } from "node:module";',
  "const require = createProgramRequire(import.meta.url);",
  'const programFolder = import.meta.url.replace(/(.*\\/build\\/svc\\/).*/, "$1");',
].join("\n");

rmSync(PROGRAM, { recursive: true, force: true });
const paths = sources();
await build({
  platform: "node",
  target: "node22",
  format: "esm",
  outbase: SOURCE,
  entryPoints: [join(SOURCE, "cli/main.ts"), ...startFiles(paths)],
  bundle: true,
  splitting: true,
  outdir: PROGRAM,
  chunkNames: "shared/[name]-[hash]",
  external: EXTERNAL,
  plugins: [OWN_PLACES, READ_WHEN_USED],
  banner: { js: HEAD },
  legalComments: "none",
  logLevel: "warning",
});
// Outside of comments all is ASCII. One other character makes V8 keep the text of a file as two bytes a character.
const NOT_ASCII = /[^\0-\x7f]/g;
for (const file of readdirSync(PROGRAM, { recursive: true, encoding: "utf8" })) {
  if (!file.endsWith(".js")) continue;
  const path = join(PROGRAM, file);
  const text = readFileSync(path, "utf8");
  const plain = text.replace(/^\s*(?:\/\*|\*|\/\/).*$/gm, (comment) => comment.replace(NOT_ASCII, "?"));
  if (plain !== text) writeFileSync(path, plain);
}
cpSync(join(SOURCE, "status/page"), join(PROGRAM, "status/page"), { recursive: true });
