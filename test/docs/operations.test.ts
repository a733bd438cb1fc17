import { globSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const OPERATIONS = readFileSync("docs/operations.md", "utf8");
const SOURCES = globSync("src/**/*.ts").map((path) => readFileSync(path, "utf8"));

const spans = (text: string): string[] => Array.from(text.matchAll(/`([^`]+)`/g), ([, span]) => span);
const found = (pattern: RegExp): string[] =>
  SOURCES.flatMap((text) => Array.from(text.matchAll(pattern), ([, name]) => name));

test("docs/operations.md lists exactly the modules of the log", () => {
  const [, listed] = /Modules are ([^.]+)\./.exec(OPERATIONS) ?? [];
  const modules = new Set([...found(/\bloggerFor\("([^"]+)"\)/gi), ...found(/^const OWN_NAME = "(\w+)";$/gm)]);
  expect(spans(listed)).toEqual([...modules].sort());
});

/** Names in a table whose rows begin with paths in the data directory. */
function pathsOf(document: string): string[] {
  const table = document.slice(document.indexOf("\n## Data directory"));
  const rows = table.slice(0, table.indexOf("\n\n", table.indexOf("| Path |"))).split("\n");
  return rows.flatMap((row) => (row.startsWith("| `") ? spans(row.split("|")[1]) : []));
}

test("both lists of the data directory's files have what the program writes there", () => {
  const written = [
    ...found(/join\((?:directory\.path|dataDirectory|directory), "([^"]+)"/g),
    ...found(/^const FILE = "([^"]+\.json)";$/gm),
  ];
  expect(written.length).toBeGreaterThan(10);
  const missing = (document: string): string[] => {
    const names = new Set(pathsOf(document).flatMap((path) => path.split("/")));
    return written.filter((name) => !names.has(name) && name !== "data.mdb");
  };
  expect(missing(OPERATIONS)).toEqual([]);
  expect(missing(readFileSync("docs/store-format.md", "utf8"))).toEqual([]);
});
