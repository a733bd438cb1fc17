import { resolve } from "node:path";
import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { supervise } from "../../process/supervise.ts";
import { startMetered } from "../parts/metered-service.ts";
import { startRpcOnly } from "./start-rpc-only.ts";

/** `svc start --rpc-only`: serves JSON-RPC from the store of a node on this machine, in this process. */
export async function runRpcOnly(
  values: Values & { dataDirectory: string },
  version: string,
  warnings: readonly string[],
): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("node");
  for (const warning of warnings) loggerFor("config").warn(warning);
  const path = resolve(values.dataDirectory);
  await supervise(
    (signal, onFatal) => {
      log.info(
        { version, node: process.versions.node, path },
        "serving the store of the node at {path}, svc {version}",
      );
      // The data directory has the identity of the node's metrics; each of these processes takes one of its own.
      return startMetered(
        { values: partValues(values), directory: { path, temporary: true }, version, loggerFor },
        ({ metrics, endpoints }) =>
          startRpcOnly({ values: partValues(values), directory: path, loggerFor, metrics, endpoints, signal, onFatal }),
      );
    },
    { log },
  );
}
