import type { Values } from "../config/options.ts";
import { type PartValues, partValues } from "../config/part-values.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { localUrl } from "../process/node-record.ts";
import type { RunningService } from "../process/supervise.ts";
import { configuredRunner } from "./configured-runner.ts";
import { BotRefusedError } from "./errors.ts";

/** Throws a BotRefusedError if the node is configured to check proofs. */
export function refuseProofs({ real }: PartValues["proofs"]): void {
  if (real) {
    throw new BotRefusedError("--bot needs a node that checks no proofs: PROVER_REAL_PROOFS=false");
  }
}

/**
 * Starts a bot next to a node in the same process. The bot uses the node's public port and is set up in the background.
 * Throws a BotRefusedError for unsupported settings.
 */
export function startBotBeside(values: Values, port: number, loggerFor: LoggerFor): RunningService {
  const { bot, rpc } = partValues(values);
  const url = bot.nodeUrl ?? localUrl(rpc.listen, port);
  const runner = configuredRunner(values, url, loggerFor);
  runner.start().catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    loggerFor("bot").error({ reason }, "the bot did not start");
  });
  return runner;
}
