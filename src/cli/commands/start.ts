import { Command } from "commander";
import { refuseAbsentParts } from "../../config/absent-parts.ts";
import { selectedMode } from "../../modes/modes.ts";
import { letYoungHeapGrow } from "../../node/heap-growth.ts";
import { configureForNetwork } from "../../node/network-file.ts";
import { addTableOptions } from "../table-options.ts";
import { orUsageError } from "../usage-error.ts";
import { programVersion } from "../version.ts";

export function startCommand(): Command {
  const command = new Command("start").description("start the services named by the mode flags");
  const given = addTableOptions(command);
  return command.action(() =>
    orUsageError(async () => {
      const configuration = await configureForNetwork(given(), true);
      refuseAbsentParts(configuration);
      const mode = selectedMode(configuration.values);
      if (!mode.savesMemory?.(configuration.values)) letYoungHeapGrow();
      await mode.run(configuration, programVersion());
    }),
  );
}
