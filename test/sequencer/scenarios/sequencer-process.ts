import { createHash } from "node:crypto";
import { configure } from "../../../src/config/configuration.ts";
import { parseLogFilter } from "../../../src/config/kinds/log-filter.ts";
import type { Values } from "../../../src/config/options.ts";
import { startNode } from "../../../src/node/node.ts";
import { openDataDirectory } from "../../../src/process/data-directory.ts";
import { createLogging } from "../../../src/process/logging/logging.ts";
import { ADMIN_API_KEY } from "../../world/node/recorded-node.ts";

/**
 * A sequencing node in a child process that a test kills. Its clock follows L1's time, which the test controls.
 * Everything else is as with `svc start --node --sequencer`. The last argument is a JSON object of environment
 * variables.
 */

const environment: Record<string, string> = JSON.parse(process.argv[2]);
const given = { ...environment, AZTEC_ADMIN_API_KEY_HASH: createHash("sha256").update(ADMIN_API_KEY).digest("hex") };
const { values } = configure({ flags: new Map(), environment: given });
const directory = openDataDirectory(values.dataDirectory, () => process.exit(1));
process.once("exit", () => directory.release());

async function l1Time(): Promise<number> {
  const body = { jsonrpc: "2.0", id: 1, method: "eth_getBlockByNumber", params: ["latest", false] };
  const response = await fetch(environment.ETHEREUM_HOSTS, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  const { result } = (await response.json()) as { result: { timestamp: string } };
  return Number(result.timestamp) * 1000;
}

await startNode({
  values: { ...(values as Values & { registryAddress: string }), sequencer: true },
  directory,
  version: "0.0.0",
  loggerFor: createLogging({ filter: parseLogFilter("debug"), json: true, secrets: [] }),
  signal: new AbortController().signal,
  beforeListening: async ({ clock, synchronizer, sequencer }) => {
    let last = 0;
    const follow = async (): Promise<void> => {
      const time = await l1Time();
      if (time === last) return;
      last = time;
      // The clock advances with the machine's time while L1 stands still; only a jump of L1 shifts it.
      if (time > clock.now()) clock.set(time);
      synchronizer.poke();
      sequencer?.wake();
    };
    clock.set(await l1Time());
    setInterval(() => void follow().catch(() => {}), 100).unref();
  },
});
process.stdout.write("ready\n");
