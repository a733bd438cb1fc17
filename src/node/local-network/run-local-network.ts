import { join } from "node:path";
import { type Configuration, reveal } from "../../config/configuration.ts";
import { ConfigurationError } from "../../config/errors.ts";
import type { Values } from "../../config/options.ts";
import { loadCore } from "../../core/load-core.ts";
import { Kzg } from "../../l1/blobs/kzg.ts";
import { ARCHIVE } from "../../protocol/constants.ts";
import { ListenError } from "../../rpc/http/listener.ts";
import { genesisState } from "../../world-state/genesis.ts";
import { startBotBeside } from "../bot/beside-node.ts";
import { type DataDirectory, openDataDirectory } from "../data-directory.ts";
import { genesisPublicData } from "../genesis.ts";
import type { LoggerFor } from "../logging.ts";
import { startNode } from "../node.ts";
import { loggingOf } from "../run-node.ts";
import { type RunningService, supervise } from "../supervise.ts";
import { Teardown } from "../teardown.ts";
import { banner } from "./banner.ts";
import { networkContracts } from "./contracts.ts";
import { DevelopmentL1 } from "./development-l1.ts";
import { isFree } from "./free-port.ts";
import { l1PrivateKey } from "./l1-account.ts";
import { startLastingAnvil } from "./lasting-anvil.ts";
import { type StartedChain, startLocalChain } from "./local-chain.ts";
import { localNetworkValues, withPublisher } from "./settings.ts";
import { startProgress } from "./start-progress.ts";
import { StateKeeper } from "./state-keeper.ts";

export interface LocalNetworkOptions {
  configuration: Configuration;
  version: string;
}

/** Reports a busy port before anything is deployed. Throws a ListenError. */
async function requireFreePorts({ rpcHost, port, adminHost, adminPort }: Values): Promise<void> {
  for (const [host, wanted] of [
    [rpcHost, port],
    [adminHost, adminPort],
  ] as const) {
    if (wanted !== 0 && !(await isFree(wanted, host))) throw new ListenError(host, wanted);
  }
}

function mnemonicOf(values: Values): string {
  return reveal(values.localNetworkL1Mnemonic) ?? "";
}

interface StartOptions {
  values: Values;
  /** Whether the user chose L1's port: then no other port is used. */
  l1PortGiven: boolean;
  directory: DataDirectory;
  loggerFor: LoggerFor;
  signal: AbortSignal;
  onFatal: (error: Error) => void;
}

/** The L1 of the network. */
interface OpenL1 {
  l1: DevelopmentL1;
  /** Set if this process keeps L1's chain on disk. */
  keeper: StateKeeper | undefined;
}

/** The given L1, or a new anvil that ends with this process. */
async function openL1(options: StartOptions, teardown: Teardown): Promise<OpenL1> {
  const { values, l1PortGiven, directory, loggerFor, signal } = options;
  const log = loggerFor("local-network");
  const calls = new AbortController();
  const [given] = values.l1RpcUrls;
  if (given !== undefined) {
    teardown.add("L1 control", () => calls.abort());
    return { l1: new DevelopmentL1(given, calls.signal, loggerFor("l1")), keeper: undefined };
  }
  const wanted = values.localNetworkL1Port;
  const free = wanted === 0 || (await isFree(wanted, "127.0.0.1"));
  if (!free && l1PortGiven) throw new ListenError("127.0.0.1", wanted);
  if (!free) log.warn({ busyPort: wanted }, "the port for L1 is in use: using a free one");
  const stateFile = directory.temporary ? undefined : join(directory.path, "l1-state.json");
  const anvil = await startLastingAnvil({
    port: free ? wanted : 0,
    mnemonic: mnemonicOf(values),
    chainId: values.l1ChainId,
    stateFile,
    signal,
    restart: async (starts) => await keeper?.restart(values.ethereumSlotDuration, starts),
    lost: (error) => {
      log.fatal({ error }, "L1 ended and cannot be restarted");
      process.exit(1);
    },
    log,
  });
  teardown.add("L1", () => anvil.stop());
  teardown.add("L1 control", () => calls.abort());
  const l1 = new DevelopmentL1(anvil.url, calls.signal, loggerFor("l1"));
  const l1At = (url: string): DevelopmentL1 => new DevelopmentL1(url, calls.signal, loggerFor("l1"), []);
  const keeper =
    stateFile === undefined
      ? undefined
      : new StateKeeper({
          l1: l1At(anvil.url),
          l1At,
          stateFile,
          journal: join(directory.path, "l1-journal"),
          log,
        });
  if (keeper !== undefined) l1.onStorageSet = (...set) => keeper.storageSet(...set);
  teardown.add("L1 state", () => keeper?.stop());
  if (anvil.restored) await keeper?.restore(values.ethereumSlotDuration);
  return { l1, keeper };
}

async function startLocalNetwork(options: StartOptions): Promise<RunningService> {
  const { values, directory, loggerFor, signal, onFatal } = options;
  const log = loggerFor("local-network");
  const teardown = new Teardown(log);
  const progress = startProgress(process.stderr, log);
  try {
    await requireFreePorts(values);
    // Loads in another thread, which takes seconds.
    const kzg = new Kzg();
    teardown.add("KZG", () => kzg.close());
    kzg.start();
    progress.step("starting L1");
    const { l1, keeper } = await openL1(options, teardown);
    await l1.check(values.l1ChainId);
    log.info({ url: l1.url }, "L1 is listening at {url}");

    progress.step("deploying contracts");
    const core = loadCore();
    const publicData = genesisPublicData(core, values);
    const contracts = await networkContracts({
      l1,
      values,
      mnemonic: mnemonicOf(values),
      genesisArchiveRoot: genesisState(core, publicData).fork.snapshot(ARCHIVE).root,
      fundedAddresses: publicData.length,
      file: directory.temporary ? undefined : join(directory.path, "l1-contracts.json"),
      onProgress: ({ done, total }) => progress.part(done, total),
      logger: loggerFor("l1:deploy"),
      signal,
    });
    const { addresses } = contracts;
    // Without a copy, an L1 that exits unexpectedly cannot be restarted.
    if (keeper?.hasCopy === false) await keeper.copy();
    // L1 mines nothing until this is done; no block is needed before the first checkpoint.
    l1.loadBlobChecks().catch((error: unknown) => log.debug({ error }, "L1 could not load its blob checks yet"));

    progress.step("starting the node");
    const key = l1PrivateKey(mnemonicOf(values), 0);
    const nodeValues = {
      ...withPublisher(values, key),
      l1RpcUrls: [l1.url],
      registryAddress: addresses.registryAddress,
    };
    let started: StartedChain | undefined;
    const node = await startNode({
      values: nodeValues,
      directory,
      loggerFor,
      signal,
      onFatal,
      kzg,
      otherAddresses: addresses,
      logReverts: true,
      beforeListening: async (parts) => {
        started = await startLocalChain(parts, { l1, values, progress, loggerFor, signal });
      },
    });
    teardown.add("node", () => node.stop());
    progress.end();
    const chain = started as StartedChain;
    process.stdout.write(
      banner({
        url: `http://${values.rpcHost}:${node.port}`,
        adminUrl: `http://${values.adminHost}:${node.adminPort}`,
        l1Url: l1.url,
        identity: chain.identity,
        testAccounts: values.testAccounts,
        dataDirectory: directory.temporary ? undefined : directory.path,
        block: chain.block,
        seconds: progress.seconds(),
      }),
    );
    if (values.bot) {
      const bot = startBotBeside(values, node.port, loggerFor);
      teardown.add("bot", () => bot.stop());
    }
    return { stop: () => teardown.run() };
  } catch (error) {
    progress.end();
    await teardown.run();
    throw error;
  }
}

/** Checks the configuration before anything is started. Throws ConfigurationError. */
function requireStartable(values: Values): void {
  if (values.l1RpcUrls.length > 1) {
    throw new ConfigurationError("--local-network takes one URL of --l1-rpc-urls: it moves the time of that L1");
  }
}

/**
 * Runs `svc start --local-network`; nothing else runs in this process. Throws ConfigurationError before anything is
 * started.
 */
export async function runLocalNetwork({ configuration, version }: LocalNetworkOptions): Promise<void> {
  const values = localNetworkValues(configuration);
  requireStartable(values);
  const loggerFor = loggingOf(values);
  for (const warning of configuration.warnings) loggerFor("config").warn(warning);
  const log = loggerFor("local-network");
  let directory: DataDirectory | undefined;
  const lost = (): void => {
    log.fatal({ path: directory?.path }, "another process took over the data directory");
    process.exit(1);
  };
  const start = (signal: AbortSignal, fail: (error: Error) => never): Promise<RunningService> => {
    log.info(
      { version, node: process.versions.node },
      "starting a local network by svc {version} on Node.js {node}: proofs are off",
    );
    directory = openDataDirectory(values.dataDirectory, lost);
    const l1PortGiven = configuration.origins.localNetworkL1Port.kind !== "default";
    return startLocalNetwork({ values, l1PortGiven, directory, loggerFor, signal, onFatal: fail });
  };
  await supervise(start, {
    log,
    atExit: () => directory?.release(),
  });
}
