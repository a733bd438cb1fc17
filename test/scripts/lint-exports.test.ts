import { expect, test } from "vitest";
import { type Module, readModule, unusedExports } from "../../scripts/lint-exports.ts";

function linted(texts: Record<string, string>): string[] {
  const modules = Object.entries(texts).map(([path, text]): [string, Module] => [
    `/${path}`,
    readModule(`/${path}`, text),
  ]);
  return unusedExports(new Map(modules), "/");
}

test("an export that no other file imports is named", () => {
  const lines = linted({
    "src/cli/main.ts": 'import { used } from "../a.ts";\nimport type * as all from "../b.ts";\nused();',
    "src/a.ts": "export function used() {}\nexport const [one, { two }] = three;\nexport interface Four {}\nlet five;",
    "src/b.ts": "export class Six {}",
  });
  const rest = (name: string) => `src/a.ts exports ${name}, which no other file imports`;
  expect(lines).toEqual([rest("one"), rest("two"), rest("Four")]);
});

test("a source file that only tests import is named, one that is started by name or imported at run time is not", () => {
  const lines = linted({
    "src/cli/main.ts": 'moduleBeside(import.meta.url, "worker");\nconst { late } = await import("../late.ts");',
    "src/cli/worker.ts": "export default 1;",
    "src/late.ts": "export const late = 1;",
    "src/tested.ts": "export const tested = 1;",
    "test/tested.test.ts": 'import { tested } from "../src/tested.ts";',
  });
  expect(lines).toEqual(["src/tested.ts is imported by tests only: it belongs into test"]);
});
