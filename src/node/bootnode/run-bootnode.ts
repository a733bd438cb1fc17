import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { holdDataDirectory } from "../../process/data-directory.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../../process/supervise.ts";
import { startBootnode } from "./start-bootnode.ts";

/** `svc start --p2p-bootstrap`: runs a bootnode in this process. */
export async function runBootnode(values: Values, version: string, warnings: readonly string[]): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("p2p");
  for (const warning of warnings) loggerFor("config").warn(warning);
  const start = async (signal: AbortSignal): Promise<RunningService> => {
    log.info({ version, node: process.versions.node }, "starting a bootnode of svc {version} on Node.js {node}");
    const directory = values.dataDirectory === undefined ? undefined : holdDataDirectory(values.dataDirectory, log);
    return startBootnode(partValues(values), { dataDirectory: directory?.path, loggerFor, signal });
  };
  await supervise(start, { log });
}
