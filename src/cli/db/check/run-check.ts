import { existsSync } from "node:fs";
import { join } from "node:path";
import { loadCore } from "../../../core/load-core.ts";
import { DataDirectoryError } from "../../../node/data-directory.ts";
import { checkStores } from "../../../node/db-check/check-stores.ts";
import { checkProgress } from "./progress.ts";

/**
 * `svc db check`: one line on standard output for each fault, and exit code 1 when there is one. Throws
 * DataDirectoryError.
 */
export async function runCheck(directory: string | undefined): Promise<void> {
  if (directory === undefined) throw new DataDirectoryError("(none)", "must be named with --data-directory");
  if (!existsSync(join(directory, "chain", "data.mdb")))
    throw new DataDirectoryError(directory, "holds no chain store");
  const progress = checkProgress(process.stderr);
  const started = performance.now();
  let faults = 0;
  await checkStores(directory, loadCore(), {
    stage: progress.stage,
    step: progress.step,
    fault({ table, key, rule }) {
      faults++;
      process.stdout.write(`fault: ${table} ${key}: ${rule}\n`);
    },
  });
  progress.end();
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${faults === 0 ? "no" : faults} fault${faults === 1 ? "" : "s"} in ${directory}, checked in ${seconds} s\n`,
  );
  if (faults > 0) process.exitCode = 1;
}
