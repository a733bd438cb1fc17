import { mkdirSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import type { Run } from "./measurement.ts";
import { resultDocument } from "./result-table.ts";

const RESULTS = join(import.meta.dirname, "..", "results");

/** Keeps a run's raw figures and its table in a folder named by date and commit; returns the folder. */
export function saveRun(run: Run): string {
  const time = run.startedAt.slice(0, 16).replace(/[-:]/g, "").replace("T", "-");
  const folder = join(RESULTS, `${time}-${run.machine.commit.replace("+", "-")}${run.quick ? "-quick" : ""}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "run.json"), `${JSON.stringify(run, undefined, 1)}\n`);
  writeFileSync(join(folder, "table.md"), resultDocument(run));
  return relative(process.cwd(), folder);
}
