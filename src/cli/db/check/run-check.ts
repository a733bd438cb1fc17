import { fork } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { storeFolders } from "../../../chain-store/check/check-stores.ts";
import { DataDirectoryError } from "../../../process/data-directory.ts";
import { moduleBeside } from "../../../threads/module-beside.ts";
import type { CheckRequest, CheckState } from "./check-process.ts";

/**
 * Checks a store in a process of its own, which a damaged page may end by a signal: that is a fault too. Resolves with
 * the number of faults, each of which was printed.
 */
async function faultsOf(request: CheckRequest): Promise<number> {
  const child = fork(moduleBeside(import.meta.url, "check-process"), {
    execArgv: ["--disable-warning=ExperimentalWarning"],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  let state: CheckState = { part: "the store", faults: 0, done: false };
  child.on("message", (told: CheckState) => {
    state = told;
  });
  const ended = new Promise<string>((resolve) => {
    child.once("error", ({ message }) => resolve(message));
    child.once("close", (code, signal) => resolve(signal ?? `exit code ${code}`));
  });
  child.send(request, () => {});
  const reason = await ended;
  if (state.done) return state.faults;
  const file = join(request.directory, request.folder, "data.mdb");
  process.stdout.write(
    `fault: pages ${file}: reading them ended the process (${reason}) while checking ${state.part}\n`,
  );
  return state.faults + 1;
}

/**
 * `svc db check`: one line on standard output for each fault, and exit code 1 when there is one. Throws
 * DataDirectoryError.
 */
export async function runCheck(directory: string | undefined): Promise<void> {
  if (directory === undefined) throw new DataDirectoryError("(none)", "must be named with --data-directory");
  if (!existsSync(join(directory, "chain", "data.mdb")))
    throw new DataDirectoryError(directory, "holds no chain store");
  const started = performance.now();
  let faults = 0;
  for (const folder of storeFolders(directory)) faults += await faultsOf({ directory, folder });
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  process.stdout.write(
    `${faults === 0 ? "no" : faults} fault${faults === 1 ? "" : "s"} in ${directory}, checked in ${seconds} s\n`,
  );
  if (faults > 0) process.exitCode = 1;
}
