/**
 * Refuses folders of one room (a folder of src) that import each other, directly or through others of the room: each
 * room
 * has an order of its folders, top to bottom. What stands in the room itself counts as one of them.
 */
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

const IMPORTED = /(?:from|import)\s*\(?\s*"(\.[^"]+)"/g;

/** Imports from one folder into another, by folder; each with an example. */
export type FolderImports = ReadonlyMap<string, ReadonlyMap<string, string>>;

/** `texts` are source files by path. Imports that leave the room are for the rules of rungs. */
export function folderImports(texts: ReadonlyMap<string, string>): FolderImports {
  const imports = new Map<string, Map<string, string>>();
  for (const [path, text] of texts) {
    const folder = dirname(path);
    for (const [, specifier] of text.matchAll(IMPORTED)) {
      const target = join(folder, specifier);
      const other = dirname(target);
      if (other === folder || other.split("/")[0] !== folder.split("/")[0]) continue;
      const from = imports.get(folder) ?? new Map<string, string>();
      imports.set(folder, from.set(other, `${path} imports ${target}`));
    }
  }
  return imports;
}

/** Folders on a way from each folder back to itself, each as the imports that make the shortest such way. */
export function folderCircles(imports: FolderImports): string[][] {
  const circles = [...imports.keys()].flatMap((folder) => {
    const ways = new Map<string, string[]>([[folder, []]]);
    for (const [at, way] of ways) {
      for (const [next, example] of imports.get(at) ?? []) {
        if (next === folder) return [[...way, example]];
        if (!ways.has(next)) ways.set(next, [...way, example]);
      }
    }
    return [];
  });
  // One circle is found from each of its folders.
  return [...new Map(circles.map((circle) => [[...circle].sort().join(), circle])).values()];
}

function sources(root: string): Map<string, string> {
  const names = readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) => name.endsWith(".ts"));
  return new Map(names.map((name) => [name, readFileSync(join(root, name), "utf8")]));
}

if (process.argv[1] === import.meta.filename) {
  const circles = folderCircles(folderImports(sources(join(import.meta.dirname, "../src"))));
  for (const circle of circles) console.error(`folders import each other:\n  ${circle.join("\n  ")}`);
  process.exitCode = circles.length === 0 ? 0 : 1;
}
