import { readdirSync, readFileSync } from "node:fs";
import { defineConfig } from "vitest/config";
import { LANES, Lanes } from "./test/support/lanes.ts";
import { isRetried } from "./test/support/retried.ts";

const files = readdirSync("test", { recursive: true, encoding: "utf8" })
  .filter((name) => name.endsWith(".test.ts"))
  .map((name) => `test/${name}`);
const { retried = [], once = [] } = Object.groupBy(files, (path) =>
  isRetried(path, readFileSync(path, "utf8")) ? "retried" : "once",
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
    setupFiles: process.env.SVC_TEST_TIMES ? ["test/support/record-times.ts"] : [],
    projects: [
      { extends: true, test: { name: "once", include: once } },
      { extends: true, test: { name: "retried", include: retried, retry: process.env.CI ? 1 : 0 } },
    ],
  },
});
