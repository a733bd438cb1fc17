import { Command } from "commander";
import { startableMode } from "../../modes/start-checks.ts";
import { configureForNetwork } from "../../network/network-file.ts";
import { letYoungHeapGrow } from "../../process/heap-growth.ts";
import { programVersion } from "../../process/program-version.ts";
import { addTableOptions } from "../arguments/table-options.ts";
import { orUsageError } from "../arguments/usage-error.ts";

export function startCommand(): Command {
  const command = new Command("start").description("start the services named by the mode flags");
  const given = addTableOptions(command);
  return command.action(() =>
    orUsageError(async () => {
      const configuration = await configureForNetwork(given(), true);
      const mode = await startableMode(configuration);
      if (!mode.savesMemory?.(configuration.values)) letYoungHeapGrow();
      await mode.run(configuration, programVersion());
    }),
  );
}
