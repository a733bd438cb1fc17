import { existsSync, mkdirSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { extract } from "tar";
import { startAnvil } from "../../src/cli/demo/anvil.ts";
import { RECORDED_CHAIN, unpackRecordedChain } from "../../src/cli/demo/recorded-chain.ts";
import { demoEnvironment } from "../../src/cli/demo/settings.ts";
import type { Reference } from "./reference.ts";
import { ServerProcess } from "./server-process.ts";
import { answerTo, call } from "./wrk.ts";

const ROOT = join(import.meta.dirname, "..", "..");
/** The built program, as a user starts it, without the cost of stripping types at load. */
export const BUILT_MAIN = join(ROOT, "build", "svc", "cli", "main.js");
/** Number of blocks of the recorded chain. */
export const RECORDED_BLOCKS = 59;
/** The recorded L1 ended long ago, so its age must not matter. */
const ANY_DRIFT = "1000000000";

/** Thrown if the project is not built. */
export class NotBuiltError extends Error {
  constructor(file: string) {
    super(`${file} is not there; npm run build makes it, npm run build:modules what is in build/src`);
    this.name = "NotBuiltError";
  }
}

/** An L1 with the recorded chain, for any number of nodes. */
export interface RecordedL1 {
  readonly url: string;
  /** file:// URL. */
  readonly blobStore: string;
  stop(): void;
}

export async function startRecordedL1(): Promise<RecordedL1> {
  const chain = unpackRecordedChain(ROOT);
  try {
    const anvil = await startAnvil(chain.l1State, new AbortController().signal);
    const stop = (): void => {
      anvil.kill();
      chain.remove();
    };
    return { url: anvil.url, blobStore: chain.blobStore, stop };
  } catch (error) {
    chain.remove();
    throw error;
  }
}

export interface ServedProcess {
  readonly url: string;
  readonly process: ServerProcess;
}

/** A node that has synced the recorded chain. */
export interface SyncedNode extends ServedProcess {
  /** From the start of the process until it reported the last block. */
  readonly syncSeconds: number;
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (typeof address !== "object" || address === null) throw new Error("the system gave no port");
  return address.port;
}

async function untilSynced(process: ServerProcess, url: string): Promise<SyncedNode> {
  const body = call("node_getBlockNumber", []);
  try {
    await process.until(async () => {
      const block = await answerTo(url, body).catch(() => undefined);
      return block === RECORDED_BLOCKS ? true : undefined;
    });
    return { url, process, syncSeconds: (performance.now() - process.startedAt) / 1000 };
  } catch (error) {
    await process.stop();
    throw error;
  }
}

export interface OwnNodeOptions {
  /** Flags in addition to those that name the chain. */
  flags?: readonly string[];
  /** Variables in addition to those of the recorded chain. */
  env?: Readonly<Record<string, string>>;
}

/**
 * Starts this project's node on the recorded chain, with an empty temporary data directory unless the flags name one.
 * Does not wait for it.
 */
export async function launchOwnNode(
  l1: RecordedL1,
  { flags = [], env = {} }: OwnNodeOptions = {},
): Promise<ServedProcess> {
  if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
  const port = await freePort();
  const args = [
    "start",
    "--node",
    ...["--port", String(port), "--admin-port", String(await freePort())],
    ...["--l1-rpc-urls", l1.url, "--l1-chain-id", String(RECORDED_CHAIN.l1ChainId)],
    ...["--registry-address", RECORDED_CHAIN.registryAddress],
    ...["--archiver.blobFileStoreUrls", l1.blobStore],
    ...flags,
  ];
  const environment = { ...demoEnvironment({}), PATH: process.env.PATH, LOG_LEVEL: "warn", ...env };
  const started = new ServerProcess(process.execPath, [BUILT_MAIN, ...args], environment);
  return { url: `http://127.0.0.1:${port}`, process: started };
}

/** As launchOwnNode, and waits until it has synced. */
export async function startOwnNode(l1: RecordedL1, options: OwnNodeOptions = {}): Promise<SyncedNode> {
  const { process: started, url } = await launchOwnNode(l1, options);
  return untilSynced(started, url);
}

/** Starts a process that reads the store of a synced node of this project. */
export async function startRpcOnly(dataDirectory: string, flags: readonly string[]): Promise<ServedProcess> {
  if (!existsSync(BUILT_MAIN)) throw new NotBuiltError(BUILT_MAIN);
  const port = await freePort();
  const environment = { PATH: process.env.PATH, LOG_LEVEL: "warn" };
  const started = new ServerProcess(
    process.execPath,
    [BUILT_MAIN, "start", "--rpc-only", "--data-directory", dataDirectory, "--port", String(port), ...flags],
    environment,
  );
  return untilSynced(started, `http://127.0.0.1:${port}`);
}

/** A chain that the reference can follow. */
export interface ReferenceSource {
  readonly l1Url: string;
  readonly registryAddress: string;
  /** Folder of the blob file store, as seen inside the reference's root. */
  readonly blobs: string;
}

/**
 * Starts the reference as a plain node of a local network's chain: no sequencer, no peers, no proofs, an empty
 * temporary data directory.
 */
export async function startReference(
  reference: Reference,
  { l1Url, registryAddress, blobs }: ReferenceSource,
): Promise<ServedProcess> {
  const port = await freePort();
  const process = reference.start(
    "node_modules/@aztec/aztec/dest/bin/index.js",
    ["start", "--node", "--port", String(port), "--admin-port", String(await freePort())],
    {
      TEST_ACCOUNTS: "true",
      SPONSORED_FPC: "true",
      PREFUND_ADDRESSES: RECORDED_CHAIN.prefundAddresses,
      ETHEREUM_HOSTS: l1Url,
      L1_CHAIN_ID: String(RECORDED_CHAIN.l1ChainId),
      REGISTRY_CONTRACT_ADDRESS: registryAddress,
      BLOB_FILE_STORE_URLS: `file://${blobs}`,
      P2P_ENABLED: "false",
      PROVER_REAL_PROOFS: "false",
      MAX_ALLOWED_ETH_CLIENT_DRIFT_SECONDS: ANY_DRIFT,
    },
  );
  return { url: `http://127.0.0.1:${port}`, process };
}

/** Starts the reference on the same L1 and blobs. */
export async function startReferenceNode(reference: Reference, l1: RecordedL1): Promise<SyncedNode> {
  const blobs = reference.inside("blobs");
  const outside = reference.outside(blobs);
  if (!existsSync(outside)) {
    mkdirSync(outside, { recursive: true });
    try {
      extract({ file: join(ROOT, RECORDED_CHAIN.folder, "blob-store.tar.gz"), cwd: outside, sync: true, strict: true });
    } catch (error) {
      rmSync(outside, { recursive: true, force: true });
      throw error;
    }
  }
  const { registryAddress } = RECORDED_CHAIN;
  const { process, url } = await startReference(reference, { l1Url: l1.url, registryAddress, blobs });
  return untilSynced(process, url);
}
