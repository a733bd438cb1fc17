import type { Configuration } from "../../config/configuration.ts";
import { partValues } from "../../config/part-values.ts";
import { holdDataDirectory } from "../../process/data-directory.ts";
import { collectWholeHeapsRarely } from "../../process/heap-growth.ts";
import { LogTail } from "../../process/logging/log-tail.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { supervise } from "../../process/supervise.ts";
import { requirePorts } from "../settings/free-ports.ts";
import { startFollower } from "./start-follower.ts";

/** `svc start --follower`. */
export async function runFollower(configuration: Configuration, version: string): Promise<void> {
  const { values, warnings } = configuration;
  const logTail = new LogTail();
  const loggerFor = loggingOf(values, logTail);
  for (const warning of warnings) loggerFor("config").warn(warning);
  collectWholeHeapsRarely();
  const log = loggerFor("node");
  await supervise(
    async (signal, fail) => {
      log.info({ version, node: process.versions.node }, "starting svc {version} on Node.js {node}");
      const directory = holdDataDirectory(values.dataDirectory, log);
      await requirePorts(partValues(values));
      const reported = { configuration, logTail };
      return startFollower({ values, directory, loggerFor, signal, version, onFatal: fail, ...reported });
    },
    { log },
  );
}
