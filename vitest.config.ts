import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";
import { BUILT_MODULES, builtSources, expectBuilt, replacesModules } from "./test/support/built-sources.ts";
import { LANES, Lanes } from "./test/support/lanes.ts";
import { IS_BUILT } from "./test/support/program.ts";
import { isRetried } from "./test/support/retried.ts";
import { sharesProcess } from "./test/support/shared-process.ts";
import { isSoak, soakPart } from "./test/support/soak-files.ts";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`)
  .map((path) => ({ path, text: readFileSync(path, "utf8") }))
  .map(({ path, text }) => ({
    path,
    soak: isSoak(text),
    retried: isRetried(path, text),
    replacing: replacesModules(text),
    // Times are of processes.
    sharing: process.env.SVC_TEST_TIMES === undefined && !isSoak(text) && sharesProcess(path, text),
  }));

if (IS_BUILT) expectBuilt();

const part = process.env.SVC_SOAK_PART;
const soak = files.filter((file) => file.soak).map(({ path }) => path);
const chosen = new Set(part === undefined ? soak : soakPart(soak, part));

/** Files that are alike in all ways; a project without files would be an error. */
function project({ soak, retried, replacing, sharing }: (typeof files)[number], include: string[]) {
  const words = [soak && "soak", retried ? "retried" : "once", sharing && "sharing", replacing && "replacing modules"];
  const name = words.filter((word) => word !== false).join(", ");
  const test = { name, include, retry: retried && process.env.CI ? 1 : 0, isolate: !sharing };
  if (replacing || !IS_BUILT) return { extends: true as const, test };
  const server = { deps: { external: [BUILT_MODULES] } };
  return { extends: true as const, plugins: [builtSources], test: { ...test, server } };
}

const kinds = Map.groupBy(
  files.filter((file) => !file.soak || chosen.has(file.path)),
  ({ path: _, ...kind }) => JSON.stringify(kind),
);

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
    projects: Array.from(kinds.values(), (alike) =>
      project(
        alike[0],
        alike.map(({ path }) => path),
      ),
    ),
  },
});
