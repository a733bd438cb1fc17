import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isSoak } from "../support/soak-files.ts";

const DOCUMENT = readFileSync("docs/live-checks.md", "utf8");

test("docs/live-checks.md lists exactly the soak tests", () => {
  const listed = Array.from(DOCUMENT.matchAll(/^\| `(\S+)` \|/gm), ([, path]) => path);
  const soak = globSync("test/**/*.test.ts").filter((path) => isSoak(readFileSync(path, "utf8")));
  expect(soak).not.toEqual([]);
  expect(listed.toSorted()).toEqual(soak.toSorted());
});
