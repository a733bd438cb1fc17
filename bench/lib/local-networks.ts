import { existsSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { anvilBinary } from "../../src/local-network/anvil-binary.ts";
import { BUILT_MAIN, freePort, NotBuiltError } from "./recorded-nodes.ts";
import type { Reference } from "./reference.ts";
import { ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

/** A local network that is ready. */
export interface LocalNetwork {
  readonly url: string;
  readonly l1Url: string;
  /** From the start of the process until the network was ready. */
  readonly startSeconds: number;
  stop(): Promise<void>;
}

/** Waits for the blocks of the set-up. */
async function ready(
  process: ServerProcess,
  { url, l1Url }: Pick<LocalNetwork, "url" | "l1Url">,
  also: ServerProcess[],
): Promise<LocalNetwork> {
  const stop = async (): Promise<void> => {
    for (const each of [process, ...also]) await each.stop();
  };
  try {
    await process.until(async () => {
      const block = await answerTo(url, call("node_getBlockNumber", [])).catch(() => undefined);
      if (typeof block === "number" && block > 0) return true;
      await sleep(100);
      return undefined;
    });
    return { url, l1Url, startSeconds: (performance.now() - process.startedAt) / 1000, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** This project's network. */
export interface OwnNetwork extends LocalNetwork {
  /** Calls a method of the admin port. */
  admin(method: string, params: unknown[]): Promise<unknown>;
}

/** Starts this project's network, with its own L1 and a temporary data directory. */
export async function startOwnNetwork(env: Readonly<Record<string, string>> = {}): Promise<OwnNetwork> {
  if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
  const port = await freePort();
  const adminPort = String(await freePort());
  const ports = ["--port", String(port), "--admin-port", adminPort, "--disable-admin-api-key"];
  const l1Port = String(await freePort());
  const environment = { PATH: process.env.PATH, LOG_LEVEL: "warn", ANVIL_PORT: l1Port, ...env };
  const args = [BUILT_MAIN, "start", "--local-network", ...ports];
  const urls = { url: `http://127.0.0.1:${port}`, l1Url: `http://127.0.0.1:${l1Port}` };
  const network = await ready(new ServerProcess(process.execPath, args, environment), urls, []);
  const adminUrl = `http://127.0.0.1:${adminPort}`;
  return { ...network, admin: (method, params) => answerTo(adminUrl, call(method, params)) };
}

/** Starts the reference's network on its own L1. */
export async function startReferenceNetwork(reference: Reference): Promise<LocalNetwork> {
  const [port, l1Port] = [await freePort(), await freePort()];
  const l1Url = `http://127.0.0.1:${l1Port}`;
  const l1 = new ServerProcess(anvilBinary(), ["--silent", "--port", String(l1Port)]);
  await l1.until(() => answerTo(l1Url, call("eth_chainId", [])).catch(() => undefined));
  const tools = ["@foundry-rs/forge", "@foundry-rs/cast", "@foundry-rs/anvil", "node"].map((name) =>
    ["", "work/node_modules", `${name}${name === "node" ? "-linux-x64" : "-linux-amd64"}`, "bin"].join("/"),
  );
  const started = reference.start(
    "node_modules/@aztec/aztec/dest/bin/index.js",
    ["start", "--local-network", "--port", String(port)],
    { ETHEREUM_HOSTS: l1Url, PATH: [...tools, "/usr/bin", "/bin"].join(":") },
  );
  return ready(started, { url: `http://127.0.0.1:${port}`, l1Url }, [l1]);
}
