import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import { loadCore } from "../core/load-core.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { BotNode } from "./bot-node.ts";
import { botOptions } from "./bot-options.ts";
import { BotRunner } from "./bot-runner.ts";
import { TransferBot } from "./transfer-bot.ts";

/**
 * Options of accounts, salts and L1 keys that have no effect: the sender is always the first test account, and its
 * token the banana token.
 */
const IDLE = [
  "botSenderPrivateKey",
  "botSenderSalt",
  "botL1Mnemonic",
  "botL1PrivateKey",
] as const satisfies readonly (keyof Values)[];

/** Creates the configured bot for a node. Throws a BotRefusedError. */
export function configuredRunner(values: Values, nodeUrl: string, loggerFor: LoggerFor): BotRunner {
  const log = loggerFor("bot");
  const { bot: settings } = partValues(values);
  const options = botOptions(settings);
  for (const name of IDLE) {
    if (values[name] !== undefined)
      log.warn({ option: name }, "{option} has no effect: the bot sends from the first test account");
  }
  const stop = new AbortController();
  const node = new BotNode(nodeUrl, settings.nodeAdminUrl, stop.signal);
  const bot = new TransferBot({ core: loadCore(), node, options, log, signal: stop.signal });
  const giveUp = (): void => {
    log.fatal({}, "exiting because the bot is unhealthy");
    process.exit(1);
  };
  return new BotRunner({ bot, node, options, log, giveUp }, stop);
}
