import { existsSync, rmSync } from "node:fs";
import { DevnetError } from "./errors.ts";
import type { DevnetFolder, DevnetRecord } from "./folder.ts";
import { hasKeys } from "./keys.ts";

/**
 * Readies the folder of an earlier start. With its contracts recorded, the network is bound to their L1 chain and keys:
 * throws a DevnetError if either is missing. Without, the chain is of a deployment that did not end, and is removed.
 */
export function readyToContinue(
  folder: DevnetFolder,
  { deployed }: Pick<DevnetRecord, "deployed">,
  names: readonly string[],
): void {
  if (deployed === undefined) {
    rmSync(folder.l1State, { force: true });
    return;
  }
  if (!existsSync(folder.l1State)) {
    throw new DevnetError(
      `the L1 chain of the network in ${folder.path} was not saved when it ended (${folder.l1State} is missing): ` +
        "remove the folder to begin anew",
    );
  }
  const missing = names.filter((name) => !hasKeys(name, folder));
  if (missing.length > 0) {
    throw new DevnetError(
      `the network in ${folder.path} has no keys of ${missing.join(", ")}, which its contracts know: restore ` +
        `${missing.map((name) => folder.keys(name)).join(", ")}, or remove the folder to begin anew`,
    );
  }
}
