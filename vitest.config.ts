import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    testTimeout: 60_000,
    hookTimeout: 120_000,
    pool: "forks",
    maxWorkers: 2,
    // Two slow cores may take longer than the default second to reach a state.
    expect: { poll: { timeout: 30_000 } },
  },
});
