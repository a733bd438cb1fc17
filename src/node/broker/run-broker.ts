import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { holdDataDirectory } from "../../process/data-directory.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../../process/supervise.ts";
import { startMetered } from "../parts/metered-service.ts";
import { startBroker } from "./start-broker.ts";

/** `svc start --prover-broker`: runs a proving broker in this process. */
export async function runBroker(values: Values, version: string, warnings: readonly string[]): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("prover:broker");
  for (const warning of warnings) loggerFor("config").warn(warning);
  const start = async (): Promise<RunningService> => {
    log.info({ version, node: process.versions.node }, "starting a proving broker of svc {version} on Node.js {node}");
    const directory = holdDataDirectory(values.dataDirectory, log);
    const parts = partValues(values);
    return startMetered({ values: parts, directory, version, loggerFor }, ({ metrics }) =>
      startBroker(parts, { dataDirectory: directory.path, loggerFor, metrics }),
    );
  };
  await supervise(start, { log });
}
