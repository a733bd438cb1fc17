import type { Values } from "../config/options.ts";
import { loggingOf } from "../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../process/supervise.ts";
import { configuredRunner } from "./configured-runner.ts";

/** `svc start --bot`: runs only the bot in this process, against the node at AZTEC_NODE_URL. */
export async function runBot(values: Values & { nodeUrl: string }, warnings: readonly string[]): Promise<void> {
  const loggerFor = loggingOf(values);
  for (const warning of warnings) loggerFor("config").warn(warning);
  const start = async (signal: AbortSignal): Promise<RunningService> => {
    const runner = configuredRunner(values, values.nodeUrl, loggerFor);
    signal.addEventListener("abort", () => void runner.stop(), { once: true });
    await runner.start();
    return runner;
  };
  await supervise(start, { log: loggerFor("bot") });
}
