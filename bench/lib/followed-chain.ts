import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { demoEnvironment } from "../../src/cli/demo/settings.ts";
import type { LocalNetwork } from "./local-networks.ts";
import { BUILT_MAIN, freePort, NotBuiltError, type ServedProcess } from "./recorded-nodes.ts";
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
  /** Each look at the process on the way. */
  readonly samples: readonly SyncSample[];
  stop(): Promise<void>;
}

/** The latest block of a process at one moment; seconds since its start. */
export interface SyncSample {
  readonly block: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
}

/** A chain of a local network, and where its blobs are. */
export interface ChainOnL1 {
  readonly l1Url: string;
  readonly registryAddress: string;
  /** file:// URL; otherwise L1 is asked for blobs, which only a development L1 has. */
  readonly blobStore?: string;
}

/** How long the block number is not asked for between two answers: many answers would be part of the CPU time. */
const LOOK_MS = { near: 5, far: 50 };
const LIMIT_MS = 300_000;

/** Waits until a process reports a block. Stops it when it does not. */
export async function caughtUp(
  { url, process }: ServedProcess,
  block: number,
  { lookMs, limitMs }: { lookMs: number; limitMs: number },
): Promise<Pick<CaughtUp, "seconds" | "cpuSeconds" | "residentMiB" | "samples">> {
  const samples: SyncSample[] = [];
  try {
    const last = await process.until(async () => {
      const at = await answerTo(url, call("node_getBlockNumber", [])).catch(() => undefined);
      if (typeof at === "number") {
        const seconds = (performance.now() - process.startedAt) / 1000;
        const sample = { block: at, seconds, cpuSeconds: cpuTimeOf(process.pid) / 1000 };
        samples.push(sample);
        if (at >= block) return sample;
      }
      await sleep(lookMs);
      return undefined;
    }, limitMs);
    const { seconds, cpuSeconds } = last;
    return { seconds, cpuSeconds, residentMiB: memoryOf(process.pid).resident, samples };
  } catch (error) {
    await process.stop();
    throw error;
  }
}

/** What is started, and flags of the runtime. */
export interface Program {
  readonly main: string;
  readonly runtimeFlags: readonly string[];
}

const BUILT: Program = { main: BUILT_MAIN, runtimeFlags: [] };

/** Starts nodes and followers of a chain, each with an empty data directory. */
export class FollowedChain {
  readonly #chain: ChainOnL1;
  readonly #lookMs: number;

  /** The chain of a running network. */
  static async of(network: LocalNetwork): Promise<FollowedChain> {
    const info = await answerTo(network.url, call("node_getNodeInfo", []));
    const { registryAddress } = (info as { l1ContractAddresses: { registryAddress: string } }).l1ContractAddresses;
    return new FollowedChain({ l1Url: network.l1Url, registryAddress }, LOOK_MS.near);
  }

  constructor(chain: ChainOnL1, lookMs: number = LOOK_MS.far) {
    this.#chain = chain;
    this.#lookMs = lookMs;
  }

  /** A node that follows L1. */
  node(block: number, program: Program = BUILT): Promise<CaughtUp> {
    const { l1Url, registryAddress, blobStore } = this.#chain;
    const flags = ["--l1-rpc-urls", l1Url, "--l1-chain-id", "31337", "--registry-address", registryAddress];
    const blobs = blobStore === undefined ? [] : ["--archiver.blobFileStoreUrls", blobStore];
    return this.#start(block, program, ["--node", ...flags, ...blobs, "--admin-port", "0"], {
      // The recorded chain is one of a local network, so the genesis is the same.
      ...demoEnvironment({}),
      P2P_ENABLED: "false",
      BLOB_ALLOW_EMPTY_SOURCES: "true",
      ETHEREUM_ALLOW_NO_DEBUG_HOSTS: "true",
    });
  }

  follower(block: number, feedUrl: string, mode: "full" | "snapshot"): Promise<CaughtUp> {
    const flags = ["--follower", "--follower-upstream-url", feedUrl, "--sync-mode", mode, "--admin-port", "0"];
    return this.#start(block, BUILT, flags, { PROVER_REAL_PROOFS: "false" });
  }

  async #start(
    block: number,
    { main, runtimeFlags }: Program,
    flags: readonly string[],
    env: NodeJS.ProcessEnv,
  ): Promise<CaughtUp> {
    if (!existsSync(main)) throw new NotBuiltError(main);
    const [port, feedPort] = [await freePort(), await freePort()];
    const directory = mkdtempSync(join(tmpdir(), "svc-bench-follower-"));
    const url = `http://127.0.0.1:${port}`;
    const own = ["--port", String(port), "--feed-port", String(feedPort), "--data-directory", directory];
    const args = [...runtimeFlags, main, "start", ...flags, ...own];
    const process_ = new ServerProcess(process.execPath, args, { PATH: process.env.PATH, LOG_LEVEL: "warn", ...env });
    const stop = async (): Promise<void> => {
      await process_.stop();
      rmSync(directory, { recursive: true, force: true });
    };
    try {
      const reached = await caughtUp({ url, process: process_ }, block, { lookMs: this.#lookMs, limitMs: LIMIT_MS });
      return { ...{ url, directory, process: process_, stop }, feedUrl: `http://127.0.0.1:${feedPort}`, ...reached };
    } catch (error) {
      await stop();
      throw error;
    }
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
