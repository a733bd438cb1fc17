import { resolve } from "node:path";
import { Command } from "commander";
import { configure } from "../../../config/configuration.ts";
import { addTableOptions } from "../../arguments/table-options.ts";
import { orUsageError } from "../../arguments/usage-error.ts";

export function dbCheckCommand(): Command {
  const command = new Command("check").description(
    "read the whole data directory and check it: pages, rows, hashes, trees and indexes; a node may be running on it",
  );
  const given = addTableOptions(command, ["dataDirectory"]);
  return command.action(() =>
    orUsageError(async () => {
      const { dataDirectory } = configure(given()).values;
      const { runCheck } = await import("../../db/check/run-check.ts");
      await runCheck(dataDirectory && resolve(dataDirectory));
    }),
  );
}
