import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Run } from "./measurement.ts";
import { plotsOf } from "./plots.ts";
import { resultDocument } from "./result-table.ts";

const RESULTS = join(import.meta.dirname, "..", "results");

function write(folder: string, run: Run): void {
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run, undefined, 1)}\n`);
  writeFileSync(join(folder, "table.md"), resultDocument(run));
  for (const [name, svg] of Object.entries(plotsOf(run))) writeFileSync(join(folder, name), svg);
}

/**
 * Keeps a run's raw figures, table and plots in a folder named by date and commit; returns the folder. A full run of every suite
 * replaces `latest` as well.
 */
export function saveRun(run: Run, isWhole: boolean): string {
  const time = run.startedAt.slice(0, 16).replace(/[-:]/g, "").replace("T", "-");
  const folder = join(RESULTS, `${time}-${run.machine.commit.replace("+", "-")}${run.quick ? "-quick" : ""}`);
  write(folder, run);
  if (isWhole && !run.quick) {
    const latest = join(RESULTS, "latest");
    rmSync(latest, { recursive: true, force: true });
    write(latest, run);
  }
  return relative(process.cwd(), folder);
}
