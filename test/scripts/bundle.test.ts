import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";

const SOURCE = join(import.meta.dirname, "../../src");

test("every thread and child process starts with a file that the bundle has", () => {
  const starts = /new (?:Worker|Piscina)\b|= fork\(|\bworkerPool\(|new ReleasablePool\b/;
  const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((path) => path.endsWith(".ts"));
  const without = files.filter((path) => {
    const text = readFileSync(join(SOURCE, path), "utf8");
    return starts.test(text) && !text.includes("moduleBeside(import.meta.url,");
  });
  // The pools are given the file by their callers.
  const given = ["threads/releasable-pool.ts", "threads/worker-pool.ts"];
  expect(without.sort()).toEqual(given);
});
