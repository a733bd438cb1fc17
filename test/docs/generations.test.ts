import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { GENERATIONS } from "../../src/protocol/generations/known/choose.ts";

test("the table of what a generation is has a row for each field of every generation", () => {
  const chapter = readFileSync(new URL("../../docs/protocol/15-generations.md", import.meta.url), "utf8");
  const [, table] = chapter.split(/^## /m);
  const fields = Array.from(table.matchAll(/^\| `(\w+)` \|/gm), ([, field]) => field);
  expect(GENERATIONS.length).toBeGreaterThan(1);
  for (const generation of GENERATIONS) expect(Object.keys(generation).sort()).toEqual([...fields].sort());
});
