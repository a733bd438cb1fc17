import { Command } from "commander";
import { configureForNetwork } from "../../node/network-file.ts";
import { requireNodeMode, requireNodeOptions } from "../start-mode.ts";
import { addTableOptions } from "../table-options.ts";
import { orUsageError } from "../usage-error.ts";
import { programVersion } from "../version.ts";

export function startCommand(): Command {
  const command = new Command("start").description("start the services named by the mode flags");
  const given = addTableOptions(command);
  return command.action(() =>
    orUsageError(async () => {
      const { values, warnings } = await configureForNetwork(given(), true);
      requireNodeMode(values);
      const nodeValues = requireNodeOptions(values);
      const { runNode } = await import("../../node/run-node.ts");
      await runNode(nodeValues, programVersion(), warnings);
    }),
  );
}
