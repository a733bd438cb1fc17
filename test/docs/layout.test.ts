import { existsSync, globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const FILES = globSync("test/**/*.test.ts");

/** Rooms of scenarios alone: nothing in src has their names. */
const SCENARIOS = /^test\/(?:(?:conformance|docs|packaging|scaling)\/|.*\/scenarios\/)/;

/** `core/derive.contracts` is the aspect `contracts` of `core/derive`. */
const withoutAspect = (path: string) => path.replace(/\.[^./]+$/, "");

test("every test outside of scenarios has the path of the file or folder that it tests", () => {
  const strays = FILES.filter((file) => !SCENARIOS.test(file)).filter((file) => {
    const path = file.slice("test/".length, -".test.ts".length);
    const names = [path, withoutAspect(path)];
    return !names.some((name) => [`src/${name}.ts`, `src/${name}`, `${name}.ts`, `test/${name}.ts`].some(existsSync));
  });
  expect(strays).toEqual([]);
});

test("tests are declared with test alone", () => {
  const importsIt = /import \{[^}]*\bit\b[^}]*\} from "vitest"/;
  expect(FILES.filter((file) => importsIt.test(readFileSync(file, "utf8")))).toEqual([]);
});
