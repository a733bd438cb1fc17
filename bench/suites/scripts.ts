import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { ResultTable } from "../lib/measurement.ts";
import type { Suite } from "../lib/suite.ts";

const BENCH = join(import.meta.dirname, "..");

/** Runs a benchmark script and keeps the rows that it writes with `--json`. */
export function scriptSuite(script: string, title: string, withReference: boolean): Suite {
  return async ({ repeats, reference, progress }) => {
    progress(title);
    const folder = mkdtempSync(join(tmpdir(), "svc-bench-script-"));
    try {
      const file = join(folder, "rows.json");
      const args = ["--repeats", String(repeats), "--json", file];
      if (withReference && reference !== undefined) args.push("--reference-home", reference.home);
      const env = { ...process.env };
      delete env.REFERENCE_HOME;
      const flags = ["--disable-warning=ExperimentalWarning", join(BENCH, script)];
      await promisify(execFile)(process.execPath, [...flags, ...args], { env });
      const rows: ResultTable["rows"] = JSON.parse(readFileSync(file, "utf8"));
      return { measurements: [], tables: [{ title, rows }] };
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  };
}
