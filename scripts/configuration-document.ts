/** Writes docs/configuration.md from the table of options; with --check only compares, and fails when it is not current. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { configurationDocument } from "../src/config/reference.ts";

const file = join(import.meta.dirname, "..", "docs", "configuration.md");
const wanted = configurationDocument();
if (process.argv.includes("--check")) {
  let current = "";
  try {
    current = readFileSync(file, "utf8");
  } catch {
    // Absent counts as not current.
  }
  if (current !== wanted) {
    process.stderr.write("docs/configuration.md is not what the table of options says: run npm run docs\n");
    process.exitCode = 1;
  }
} else {
  writeFileSync(file, wanted);
}
