import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig, type TestProjectConfiguration } from "vitest/config";
import { BUILT_MODULES, builtSources, expectBuilt, replacesModules } from "./test/support/built-sources.ts";
import { LANES, Lanes } from "./test/support/lanes.ts";
import { IS_BUILT } from "./test/support/program.ts";
import { isRetried } from "./test/support/retried.ts";
import { isSoak } from "./test/support/soak-files.ts";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`)
  .map((path) => ({ path, text: readFileSync(path, "utf8") }));

if (IS_BUILT) expectBuilt();

const EITHER = [false, true];

/** Files that are alike in all ways; a project without files would be an error. */
function project(soak: boolean, retried: boolean, replacing: boolean): TestProjectConfiguration[] {
  const include = files
    .filter(({ text }) => isSoak(text) === soak && replacesModules(text) === replacing)
    .filter(({ path, text }) => isRetried(path, text) === retried)
    .map(({ path }) => path);
  if (include.length === 0) return [];
  const name = `${soak ? "soak, " : ""}${retried ? "retried" : "once"}${replacing ? ", replacing modules" : ""}`;
  const test = { name, include, retry: retried && process.env.CI ? 1 : 0 };
  if (replacing || !IS_BUILT) return [{ extends: true, test }];
  return [
    { extends: true, plugins: [builtSources], test: { ...test, server: { deps: { external: [BUILT_MODULES] } } } },
  ];
}

export default defineConfig({
  test: {
    // Limits are for what hangs, not for what is slow: machines of continuous integration may stall for seconds.
    testTimeout: 180_000,
    hookTimeout: 240_000,
    expect: { poll: { timeout: 60_000, interval: 20 } },
    pool: "forks",
    maxWorkers: LANES,
    sequence: { sequencer: Lanes },
    // What Node.js compiled of a module, for the next process that imports it.
    env: IS_BUILT ? { NODE_COMPILE_CACHE: join(import.meta.dirname, "build/compile-cache") } : {},
    setupFiles: process.env.SVC_TEST_TIMES ? ["test/support/record-times.ts"] : [],
    projects: EITHER.flatMap((soak) =>
      EITHER.flatMap((retried) => EITHER.flatMap((replacing) => project(soak, retried, replacing))),
    ),
  },
});
