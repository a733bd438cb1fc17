import { Command } from "commander";
import { refuseAbsentParts } from "../../config/absent-parts.ts";
import { configureForNetwork } from "../../node/network-file.ts";
import { isBotAlone, requireBotOptions, requireNodeMode, requireNodeOptions } from "../start-mode.ts";
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
      const { values, warnings } = configuration;
      if (values.localNetwork) {
        const { runLocalNetwork } = await import("../../node/local-network/run-local-network.ts");
        return runLocalNetwork({ configuration, version: programVersion() });
      }
      if (isBotAlone(values)) {
        const botValues = requireBotOptions(values);
        const { runBot } = await import("../../node/bot/run-bot.ts");
        return runBot(botValues, warnings);
      }
      requireNodeMode(values);
      const nodeValues = requireNodeOptions(values);
      const { runNode } = await import("../../node/run-node.ts");
      await runNode(nodeValues, programVersion(), warnings);
    }),
  );
}
