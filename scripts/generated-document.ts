import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/**
 * Writes a generated document to docs/`name`. With --check only compares, and sets exit code 1 if the file is not
 * current. `source` names what the document is made from.
 */
export function generatedDocument(name: string, wanted: string, source: string): void {
  const file = join(import.meta.dirname, "..", "docs", name);
  if (!process.argv.includes("--check")) {
    writeFileSync(file, wanted);
    return;
  }
  let current = "";
  try {
    current = readFileSync(file, "utf8");
  } catch {
    // A missing file counts as not current.
  }
  if (current !== wanted) {
    process.stderr.write(`docs/${name} is not what ${source} says: run npm run docs\n`);
    process.exitCode = 1;
  }
}
