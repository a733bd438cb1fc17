import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { demoEnvironment } from "../../src/cli/demo/settings.ts";
import type { LocalNetwork } from "./local-networks.ts";
import { BUILT_MAIN, freePort, NotBuiltError } from "./recorded-nodes.ts";
import { cpuTimeOf, memoryOf, ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

/** A process that has reached the tip of the chain. */
export interface CaughtUp {
  readonly url: string;
  readonly feedUrl: string;
  readonly directory: string;
  readonly process: ServerProcess;
  /** From the start of the process until it reported the block. */
  readonly seconds: number;
  /** CPU time until then. */
  readonly cpuSeconds: number;
  readonly residentMiB: number;
  stop(): Promise<void>;
}

/** Starts nodes and followers of a local network's chain, each with an empty data directory. */
export class FollowedChain {
  readonly #network: LocalNetwork;
  readonly #registry: string;

  static async of(network: LocalNetwork): Promise<FollowedChain> {
    const info = await answerTo(network.url, call("node_getNodeInfo", []));
    const { registryAddress } = (info as { l1ContractAddresses: { registryAddress: string } }).l1ContractAddresses;
    return new FollowedChain(network, registryAddress);
  }

  private constructor(network: LocalNetwork, registry: string) {
    this.#network = network;
    this.#registry = registry;
  }

  /** A node that follows L1. */
  node(block: number): Promise<CaughtUp> {
    const flags = ["--l1-rpc-urls", this.#network.l1Url, "--l1-chain-id", "31337"];
    const registry = ["--registry-address", this.#registry];
    return this.#start(block, ["--node", ...flags, ...registry, "--admin-port", "0"], {
      // The recorded chain is one of a local network, so the genesis is the same.
      ...demoEnvironment({}),
      P2P_ENABLED: "false",
      BLOB_ALLOW_EMPTY_SOURCES: "true",
      ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
    });
  }

  follower(block: number, feedUrl: string, mode: "full" | "snapshot"): Promise<CaughtUp> {
    return this.#start(
      block,
      ["--follower", "--follower-upstream-url", feedUrl, "--sync-mode", mode, "--admin-port", "0"],
      {
        PROVER_REAL_PROOFS: "false",
      },
    );
  }

  async #start(block: number, flags: readonly string[], env: NodeJS.ProcessEnv): Promise<CaughtUp> {
    if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
    const [port, feedPort] = [await freePort(), await freePort()];
    const directory = mkdtempSync(join(tmpdir(), "svc-bench-follower-"));
    const url = `http://127.0.0.1:${port}`;
    const own = ["--port", String(port), "--feed-port", String(feedPort), "--data-directory", directory];
    const args = [BUILT_MAIN, "start", ...flags, ...own];
    const process_ = new ServerProcess(process.execPath, args, { PATH: process.env.PATH, LOG_LEVEL: "warn", ...env });
    const stop = async (): Promise<void> => {
      await process_.stop();
      rmSync(directory, { recursive: true, force: true });
    };
    try {
      await process_.until(async () => {
        const at = await answerTo(url, call("node_getBlockNumber", [])).catch(() => undefined);
        if (typeof at === "number" && at >= block) return true;
        await sleep(5);
        return undefined;
      });
    } catch (error) {
      await stop();
      throw error;
    }
    return {
      ...{ url, directory, process: process_, stop },
      feedUrl: `http://127.0.0.1:${feedPort}`,
      seconds: (performance.now() - process_.startedAt) / 1000,
      cpuSeconds: cpuTimeOf(process_.pid) / 1000,
      residentMiB: memoryOf(process_.pid).resident,
    };
  }
}

/** Bytes of blobs in all blocks of a development L1. */
export async function blobBytes(l1Url: string): Promise<number> {
  const latest = Number(await answerTo(l1Url, call("eth_blockNumber", [])));
  let bytes = 0;
  for (let number = 0; number <= latest; number++) {
    const block = await answerTo(l1Url, call("eth_getBlockByNumber", [`0x${number.toString(16)}`, false]));
    // One unit of blob gas is a byte (EIP-4844).
    bytes += Number((block as { blobGasUsed?: string } | null)?.blobGasUsed ?? 0);
  }
  return bytes;
}
