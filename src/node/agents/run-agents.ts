import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { supervise } from "../../process/supervise.ts";
import { startMetered } from "../parts/metered-service.ts";
import { startAgents } from "./start-agents.ts";

/** `svc start --prover-agent`: runs proving agents in this process. */
export async function runAgents(
  values: Values & { readonly proverBrokerUrl: string },
  version: string,
  warnings: readonly string[],
): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("prover:agent");
  for (const warning of warnings) loggerFor("config").warn(warning);
  const start = async () => {
    log.info({ version, node: process.versions.node }, "starting agents of svc {version} on Node.js {node}");
    // Agents have no data directory: their name at a collector is another one after each start.
    return startMetered(
      { values: partValues(values), directory: { path: "", temporary: true }, version, loggerFor },
      ({ metrics }) => startAgents(values.proverBrokerUrl, partValues(values), loggerFor, metrics),
    );
  };
  await supervise(start, { log });
}
