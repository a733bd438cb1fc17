import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { collectSuites } from "./collect-suites.ts";
import type { Run } from "./measurement.ts";
import { plotsOf } from "./plots.ts";
import { resultDocument } from "./result-table.ts";

const RESULTS = join(import.meta.dirname, "..", "results");
const LATEST = join(RESULTS, "latest");

function writeResults(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run, undefined, 1)}\n`);
  writeFileSync(join(folder, "table.md"), resultDocument(run));
  for (const [name, svg] of Object.entries(plotsOf(run))) writeFileSync(join(folder, name), svg);
}

function latestRun(): Run | undefined {
  const file = join(LATEST, "run.json");
  return existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Run) : undefined;
}

/**
 * Saves a run's raw figures, table and plots in a folder named by date and commit, and returns the folder. Its suites
 * also replace their earlier results in `latest`, unless the run was quick.
 */
export function saveRun(run: Run): string {
  const time = run.startedAt.slice(0, 16).replace(/[-:]/g, "").replace("T", "-");
  const folder = join(RESULTS, `${time}-${run.machine.commit.replace("+", "-")}${run.quick ? "-quick" : ""}`);
  writeResults(folder, run);
  if (!run.quick) {
    const latest = collectSuites(latestRun(), run);
    rmSync(LATEST, { recursive: true, force: true });
    writeResults(LATEST, latest);
  }
  return relative(process.cwd(), folder);
}
