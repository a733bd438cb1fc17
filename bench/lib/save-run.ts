import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Run } from "./measurement.ts";
import { plotsOf } from "./plots.ts";
import { resultDocument } from "./result-table.ts";

const RESULTS = join(import.meta.dirname, "..", "results");

const DOCUMENT = join(import.meta.dirname, "..", "..", "docs", "performance.md");
const TABLE_PLACE = /(<!-- the last run -->\n)[\s\S]*(\n<!-- end of the last run -->)/;

function writeResults(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "table.md"), resultDocument(run));
  for (const [name, svg] of Object.entries(plotsOf(run))) writeFileSync(join(folder, name), svg);
}

/** The document with the run's table in place of the earlier one. */
export function withTable(document: string, run: Run): string {
  if (!TABLE_PLACE.test(document)) throw new Error("the document has no place for the table of the last run");
  return document.replace(TABLE_PLACE, (_, begin: string, end: string) => `${begin}\n${resultDocument(run)}${end}`);
}

/**
 * Saves a run's raw figures, table and plots in a folder named by date and commit, and returns the folder. A full run
 * of every suite also replaces the table and plots in `latest` and the table in docs/performance.md.
 */
export function saveRun(run: Run, isWhole: boolean): string {
  const time = run.startedAt.slice(0, 16).replace(/[-:]/g, "").replace("T", "-");
  const folder = join(RESULTS, `${time}-${run.machine.commit.replace("+", "-")}${run.quick ? "-quick" : ""}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run, undefined, 1)}\n`);
  writeResults(folder, run);
  if (isWhole && !run.quick) {
    const latest = join(RESULTS, "latest");
    rmSync(latest, { recursive: true, force: true });
    writeResults(latest, run);
    writeFileSync(DOCUMENT, withTable(readFileSync(DOCUMENT, "utf8"), run));
  }
  return relative(process.cwd(), folder);
}
