import type { Values } from "../../config/options.ts";
import { bindFault } from "../../http/bind-fault.ts";
import type { RunningNode } from "../../node/node.ts";
import { runNodeProcess } from "../../node/run-node.ts";
import { loggingOf } from "../../process/logging/process-logging.ts";
import { packageRoot, programVersion } from "../../process/program-version.ts";
import { startAnvil } from "./anvil.ts";
import { unpackRecordedChain } from "./recorded-chain.ts";
import { onRecordedChain } from "./settings.ts";
import { requestsToTry } from "./try-it.ts";

/** Runs the recorded L1 and a node that follows it, until a signal. Cleans up all processes and files. */
export async function runDemo(values: Values): Promise<void> {
  const loggerFor = loggingOf(values);
  const log = loggerFor("demo");
  const prepare = async (signal: AbortSignal) => {
    const chain = unpackRecordedChain(packageRoot());
    process.once("exit", () => chain.remove());
    const anvil = await startAnvil(chain.l1State, signal);
    process.prependOnceListener("exit", () => anvil.kill());
    log.info({ url: anvil.url, anvilPid: anvil.pid }, "the recorded L1 runs at {url}");
    const free = async (port: number, host: string): Promise<number> => {
      if ((await bindFault(host, port)) === undefined) return port;
      log.warn({ busyPort: port }, "the port is busy, using a free one");
      return 0;
    };
    const ports = {
      port: await free(values.port, values.rpcHost),
      adminPort: await free(values.adminPort, values.adminHost),
    };
    return onRecordedChain(values, { l1Url: anvil.url, blobStore: chain.blobStore, ...ports });
  };
  const started = (node: RunningNode): void => {
    node
      .synced()
      .then(() =>
        requestsToTry(
          `http://${values.rpcHost}:${node.port}${values.apiPrefix}`,
          `http://${values.adminHost}:${node.adminPort}/ui/`,
        ),
      )
      .then((text) => process.stdout.write(text))
      .catch((error: unknown) => log.debug({ err: error }, "no requests to try can be shown"));
  };
  await runNodeProcess({ prepare, loggerFor, version: programVersion(), started });
}
