import { startBotBeside } from "../bot/beside-node.ts";
import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import { holdDataDirectory } from "../process/data-directory.ts";
import { collectWholeHeapsRarely, keepHeapsSmall } from "../process/heap-growth.ts";
import { LogTail } from "../process/logging/log-tail.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { loggingOf } from "../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../process/supervise.ts";
import { type RunningNode, startNode } from "./node.ts";
import { requirePorts } from "./settings/free-ports.ts";
import { onlyProves } from "./settings/roles.ts";

export interface NodeProcessOptions {
  /** Prepares the network that the node follows, and returns the node's configuration. */
  prepare: (signal: AbortSignal) => Promise<Values & { registryAddress: string }>;
  loggerFor: LoggerFor;
  logTail?: LogTail;
  /** What the options gave. */
  configuration?: Pick<Configuration, "values" | "origins">;
  version: string;
  /** Called once the node runs. */
  started?: (node: RunningNode) => void;
}

/**
 * Runs a node as the main service of this process (docs/protocol/09-configuration.md#910-start and
 * docs/protocol/09-configuration.md#911-signals-and-exit-codes).
 */
export async function runNodeProcess(options: NodeProcessOptions): Promise<void> {
  const { loggerFor, logTail, configuration, version } = options;
  if (configuration !== undefined && onlyProves(configuration.values)) keepHeapsSmall();
  else collectWholeHeapsRarely();
  const log = loggerFor("node");
  const start = async (
    signal: AbortSignal,
    fail: (error: Error) => never,
    end: () => void,
  ): Promise<RunningService> => {
    log.info({ version, node: process.versions.node }, "starting svc {version} on Node.js {node}");
    const values = await options.prepare(signal);
    const directory = holdDataDirectory(values.dataDirectory, log);
    await requirePorts(partValues(values));
    const reported = { logTail, configuration };
    const node = await startNode({
      values,
      directory,
      loggerFor,
      signal,
      version,
      onFatal: fail,
      onReplaced: end,
      ...reported,
    });
    options.started?.(node);
    if (!values.bot) return node;
    const bot = startBotBeside(values, node.port, loggerFor);
    return { stop: () => bot.stop().finally(() => node.stop()) };
  };
  await supervise(start, { log });
}

/** `svc start --node`. `values` are those of the configuration. */
export function runNode(
  values: Values & { registryAddress: string },
  version: string,
  configuration: Configuration,
): Promise<void> {
  const logTail = new LogTail();
  const loggerFor = loggingOf(values, logTail);
  for (const warning of configuration.warnings) loggerFor("config").warn(warning);
  return runNodeProcess({ prepare: async () => values, loggerFor, logTail, configuration, version });
}
