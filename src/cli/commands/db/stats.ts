import { resolve } from "node:path";
import { Command } from "commander";
import { configure } from "../../../config/configuration.ts";
import { partValues } from "../../../config/part-values.ts";
import { addTableOptions } from "../../arguments/table-options.ts";
import { orUsageError } from "../../arguments/usage-error.ts";

export function dbStatsCommand(): Command {
  const command = new Command("stats")
    .description("show the tables, entries, bytes and free pages of each database; a node may be running on it")
    .option("--json", "as a JSON object");
  const given = addTableOptions(command, ["dataDirectory", "dataStoreMapSizeKb", "p2pStoreMapSizeKb"]);
  return command.action((options: { json?: true }) =>
    orUsageError(async () => {
      const { values } = configure(given());
      const { runStats } = await import("../../db/stats/run-stats.ts");
      await runStats(
        values.dataDirectory && resolve(values.dataDirectory),
        partValues(values).storage,
        options.json === true,
      );
    }),
  );
}
