import { expect, test } from "vitest";
import { folderCircles, folderImports } from "../../scripts/lint-folders.ts";

const circlesOf = (...files: [path: string, imports: string][]) =>
  folderCircles(folderImports(new Map(files.map(([path, specifier]) => [path, `import "${specifier}";`]))));

test("folders of a room that import each other, also through a third one, are refused", () => {
  expect(circlesOf(["room/a/x.ts", "../b/y.ts"], ["room/b/y.ts", "../a/x.ts"])).toHaveLength(1);
  expect(circlesOf(["room/x.ts", "./a/y.ts"], ["room/a/y.ts", "../z.ts"])).toHaveLength(1);
  const ring = circlesOf(["room/a/x.ts", "../b/y.ts"], ["room/b/y.ts", "../c/z.ts"], ["room/c/z.ts", "../a/x.ts"]);
  expect(ring).toHaveLength(1);
  expect(ring[0]).toHaveLength(3);
});

test("imports in one direction, and those between rooms, are left to other rules", () => {
  expect(circlesOf(["room/x.ts", "./a/y.ts"], ["room/a/y.ts", "../b/z.ts"])).toEqual([]);
  expect(circlesOf(["room/a/x.ts", "../../other/y.ts"], ["other/y.ts", "../room/a/x.ts"])).toEqual([]);
});
