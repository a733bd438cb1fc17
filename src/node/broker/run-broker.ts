import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { type DataDirectory, openDataDirectory } from "../../process/data-directory.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../../process/supervise.ts";
import { startMetered } from "../parts/metered-service.ts";
import { startBroker } from "./start-broker.ts";

/** `svc start --prover-broker`: runs a proving broker in this process. */
export async function runBroker(values: Values, version: string, warnings: readonly string[]): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("prover:broker");
  for (const warning of warnings) loggerFor("config").warn(warning);
  let directory: DataDirectory | undefined;
  const lost = (): void => {
    log.fatal({ path: directory?.path }, "another process took over the data directory");
    process.exit(1);
  };
  const start = async (): Promise<RunningService> => {
    log.info({ version, node: process.versions.node }, "starting a proving broker of svc {version} on Node.js {node}");
    directory = openDataDirectory(values.dataDirectory, lost);
    const { path: dataDirectory } = directory;
    return startMetered({ values: partValues(values), directory, version, loggerFor }, ({ metrics }) =>
      startBroker(partValues(values), { dataDirectory, loggerFor, metrics }),
    );
  };
  await supervise(start, { log, atExit: () => directory?.release() });
}
