import { existsSync, mkdtempSync } from "node:fs";
import { join, resolve } from "node:path";
import { startBotBeside } from "../bot/beside-node.ts";
import { type Configuration, reveal } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import { partValues } from "../config/part-values.ts";
import type { Core } from "../core/core.ts";
import { loadCore } from "../core/load-core.ts";
import { bindFault } from "../http/bind-fault.ts";
import { Kzg } from "../l1/blobs/kzg.ts";
import { genesisPublicData } from "../network/genesis.ts";
import { requirePorts } from "../node/settings/free-ports.ts";
import { hasProver } from "../node/settings/roles.ts";
import { type DataDirectory, holdDataDirectory } from "../process/data-directory.ts";
import { LogTail } from "../process/logging/log-tail.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { loggingOf } from "../process/logging/process-logging.ts";
import { type RunningService, supervise } from "../process/supervise.ts";
import { Teardown } from "../process/teardown.ts";
import { toHex } from "../protocol/bytes.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import { DEFAULT_GENERATION } from "../protocol/generations/known/choose.ts";
import { ListenError } from "../rpc/wire/listener.ts";
import { genesisContent, genesisState } from "../world-state/genesis.ts";
import { untilKept } from "./anvil.ts";
import { banner } from "./banner.ts";
import { DevelopmentL1 } from "./development-l1.ts";
import { type LastingAnvil, startLastingAnvil } from "./lasting-anvil.ts";
import { LocalNode } from "./local-node.ts";
import { NetworkControl } from "./network-control.ts";
import { localNetworkValues } from "./settings.ts";
import { startProgress } from "./start-progress.ts";
import { requireOrigin, StateFileError, unpackState } from "./state-file.ts";
import { StateKeeper } from "./state-keeper.ts";
import { commitSwap, finishStateSwap, removeLeftovers, STATE_FOLDER, WHOLE_STATE } from "./state-swap.ts";

export interface LocalNetworkOptions {
  configuration: Configuration;
  version: string;
}

function mnemonicOf(values: Values): string {
  return reveal(values.localNetworkL1Mnemonic) ?? "";
}

interface StartOptions {
  version: string;
  configuration: Configuration;
  logTail: LogTail;
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
  /** Undefined if the L1 was given. */
  anvil: LastingAnvil | undefined;
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
    return { l1: new DevelopmentL1(given, calls.signal, loggerFor("l1")), anvil: undefined, keeper: undefined };
  }
  const wanted = values.localNetworkL1Port;
  const interval = values.ethereumSlotDuration;
  const fault = wanted === 0 ? undefined : await bindFault("127.0.0.1", wanted);
  const free = fault === undefined;
  if (!free && l1PortGiven) throw new ListenError("127.0.0.1", wanted, fault);
  if (!free) log.warn({ busyPort: wanted }, "the port for L1 is in use: using a free one");
  const state = join(directory.path, "l1-state.json");
  const stateFile = directory.temporary && !existsSync(state) ? undefined : state;
  const anvil = await startLastingAnvil({
    port: free ? wanted : 0,
    mnemonic: mnemonicOf(values),
    chainId: values.l1ChainId,
    stateFile,
    readOnly: directory.temporary,
    signal,
    restart: async (starts) => await keeper?.restart(interval, starts),
    lost: (error) => {
      log.fatal({ err: error }, "L1 ended and cannot be restarted");
      process.exit(1);
    },
    log,
  });
  teardown.add("L1", () => anvil.stop());
  teardown.add("L1 control", () => calls.abort());
  const l1 = new DevelopmentL1(anvil.url, calls.signal, loggerFor("l1"));
  const l1At = (url: string): DevelopmentL1 => new DevelopmentL1(url, calls.signal, loggerFor("l1"), []);
  const keeper =
    stateFile === undefined || directory.temporary
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
  if (anvil.restored) await (keeper === undefined ? l1.resume(interval) : keeper.restore(interval));
  return { l1, anvil, keeper };
}

/** Puts the state of a file into a data directory that has none. Throws StateFileError. */
async function placeState(file: string, core: Core, { values, directory, signal }: StartOptions): Promise<void> {
  if (existsSync(join(directory.path, "l1-state.json"))) {
    throw new StateFileError(file, `is not loaded: data directory ${directory.path} has a network already`);
  }
  const folder = mkdtempSync(join(directory.path, STATE_FOLDER));
  const publicData = genesisPublicData(core, values, DEFAULT_GENERATION);
  const { root } = genesisState(core, genesisContent(DEFAULT_GENERATION, publicData)).fork.snapshot(ARCHIVE);
  const wanted = { l1ChainId: values.l1ChainId, genesisArchiveRoot: toHex(root) };
  requireOrigin(file, await unpackState(resolve(file), folder, signal), wanted);
  commitSwap(directory.path, folder, WHOLE_STATE);
  finishStateSwap(directory.path);
}

async function startLocalNetwork(options: StartOptions): Promise<RunningService> {
  const { values, version, configuration, logTail, directory, loggerFor, signal, onFatal } = options;
  const log = loggerFor("local-network");
  const teardown = new Teardown(log);
  const progress = startProgress(process.stderr, log);
  try {
    await requirePorts(partValues(values));
    const kzg = new Kzg();
    teardown.add("KZG", () => kzg.close());
    progress.step("starting L1");
    if (!directory.temporary) await untilKept(join(directory.path, "l1-state.json"), signal);
    finishStateSwap(directory.path);
    removeLeftovers(directory.path);
    const core = loadCore();
    if (values.localNetworkLoadState !== undefined) await placeState(values.localNetworkLoadState, core, options);
    const { l1, anvil, keeper } = await openL1(options, teardown);
    await l1.check(values.l1ChainId);
    log.info({ url: l1.url }, "L1 is listening at {url}");

    const mnemonic = mnemonicOf(values);
    const reported = { version, configuration, logTail };
    const own = { values, mnemonic, core, l1, keeper, directory, kzg, loggerFor, signal, onFatal };
    const local = new LocalNode({ ...own, ...reported });
    const interval = values.ethereumSlotDuration;
    const control = new NetworkControl({
      ...{ l1, anvil, keeper, node: local, directory, interval, onFatal, signal, log },
      testAccounts: values.testAccounts,
    });
    local.offer(control);
    teardown.add("node", () => local.close());
    teardown.add("operations", () => control.settled());
    const chain = await local.start(progress);
    const { node } = chain;
    progress.end();
    process.stdout.write(
      banner({
        url: `http://${values.rpcHost}:${node.port}${values.apiPrefix}`,
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
    await teardown.undo();
    throw error;
  }
}

/**
 * Runs `svc start --local-network`; nothing else runs in this process.
 */
export async function runLocalNetwork({ configuration, version }: LocalNetworkOptions): Promise<void> {
  const values = localNetworkValues(configuration);
  const logTail = new LogTail();
  const loggerFor = loggingOf(values, logTail);
  for (const warning of configuration.warnings) loggerFor("config").warn(warning);
  const log = loggerFor("local-network");
  const start = (signal: AbortSignal, fail: (error: Error) => never): Promise<RunningService> => {
    log.info(
      { version, node: process.versions.node },
      hasProver(values)
        ? "starting a local network by svc {version} on Node.js {node}: epochs are proven by simulated jobs"
        : "starting a local network by svc {version} on Node.js {node}: proofs are off",
    );
    const directory = holdDataDirectory(values.dataDirectory, log);
    const l1PortGiven = configuration.origins.localNetworkL1Port.kind !== "default";
    const reported = { version, configuration, logTail };
    return startLocalNetwork({ values, ...reported, l1PortGiven, directory, loggerFor, signal, onFatal: fail });
  };
  await supervise(start, { log });
}
