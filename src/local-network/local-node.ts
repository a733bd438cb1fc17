import type { Configuration } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import type { Core } from "../core/core.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import { genesisPublicData } from "../network/genesis.ts";
import { type ChainParts, type RunningNode, startNode } from "../node/node.ts";
import type { DataDirectory } from "../process/data-directory.ts";
import type { LogTail } from "../process/logging/log-tail.ts";
import type { LoggerFor } from "../process/logging/logging.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import { DEFAULT_GENERATION } from "../protocol/generations/known/choose.ts";
import type { LocalNetworkControl } from "../rpc/admin/ports/local-network-control.ts";
import { FunctionSignatures } from "../rpc/methods/contracts/function-signatures.ts";
import { genesisContent, genesisState } from "../world-state/genesis.ts";
import { withContractNames } from "./contract-names.ts";
import { networkContracts } from "./contracts.ts";
import type { DevelopmentL1 } from "./development-l1.ts";
import { l1PrivateKey } from "./l1-account.ts";
import { LastingAdmin, NodeRestartingError } from "./lasting-admin.ts";
import { type StartedChain, startLocalChain } from "./local-chain.ts";
import { withPublisher } from "./settings.ts";
import type { StartProgress } from "./start-progress.ts";
import type { StateKeeper } from "./state-keeper.ts";

interface LocalNodeOptions {
  values: Values;
  mnemonic: string;
  core: Core;
  l1: DevelopmentL1;
  keeper: StateKeeper | undefined;
  directory: DataDirectory;
  /** Of this program. */
  version: string;
  logTail: LogTail;
  configuration: Configuration;
  kzg: Kzg;
  loggerFor: LoggerFor;
  signal: AbortSignal;
  onFatal: (error: Error) => void;
}

/** A node that is ready for users. */
export interface RunningChain extends StartedChain {
  node: RunningNode;
  parts: ChainParts;
}

const NO_PROGRESS: StartProgress = { step: () => {}, part: () => {}, end: () => {}, seconds: () => 0 };

/**
 * The node of a local network, which can be stopped and started again over another state. Its ports, the names of
 * functions that clients registered, changes of the configuration and a pause of the sequencer stay.
 */
export class LocalNode {
  readonly #options: LocalNodeOptions;
  readonly #admin = new LastingAdmin();
  readonly #signatures = new FunctionSignatures();
  #control: LocalNetworkControl | undefined;
  #running: RunningChain | undefined;
  #before: RunningNode | undefined;
  #paused = false;

  constructor(options: LocalNodeOptions) {
    this.#options = options;
  }

  /** Offers operations on the admin port of the nodes that are started from now on. */
  offer(control: LocalNetworkControl): void {
    this.#control = control;
  }

  /** Throws NodeRestartingError while it does not run. */
  get chain(): RunningChain {
    if (this.#running === undefined) throw new NodeRestartingError();
    return this.#running;
  }

  /** Starts over what the data directory and L1 hold: deploys the contracts unless they are there. */
  async start(progress: StartProgress = NO_PROGRESS): Promise<RunningChain> {
    const { values, mnemonic, core, l1, keeper, directory, version, kzg, loggerFor, signal, onFatal } = this.#options;
    const log = loggerFor("local-network");
    const blobChecks = l1
      .loadBlobChecks(values.l1ChainId)
      .catch((error: unknown) => log.debug({ err: error }, "L1 could not load its blob checks yet"));
    progress.step("deploying contracts");
    const publicData = genesisPublicData(core, values, DEFAULT_GENERATION);
    const { addresses } = await networkContracts({
      l1,
      values,
      mnemonic,
      generation: DEFAULT_GENERATION,
      genesisArchiveRoot: genesisState(core, genesisContent(DEFAULT_GENERATION, publicData)).fork.snapshot(ARCHIVE)
        .root,
      fundedAddresses: publicData.length,
      file: `${directory.path}/l1-contracts.json`,
      onProgress: ({ done, total }) => progress.part(done, total),
      logger: loggerFor("l1:deploy"),
      signal,
    });
    // Without a copy, an L1 that exits unexpectedly cannot be restarted.
    if (keeper?.hasCopy === false) await keeper.copy();

    progress.step("starting the node");
    const before = this.#before;
    const chain = Promise.withResolvers<StartedChain & { parts: ChainParts }>();
    const node = await startNode({
      values: {
        ...withPublisher(values, l1PrivateKey(mnemonic, 0), l1PrivateKey(mnemonic, 1)),
        l1RpcUrls: [l1.url],
        registryAddress: addresses.registryAddress,
        port: before?.port ?? values.port,
      },
      directory,
      version,
      logTail: this.#options.logTail,
      configuration: this.#options.configuration,
      loggerFor,
      signal,
      onFatal,
      kzg,
      otherAddresses: addresses,
      logTxs: withContractNames(core, this.#signatures),
      signatures: this.#signatures,
      localNetwork: this.#control,
      openAdmin: this.#admin.open,
      beforeListening: async (parts) => {
        if (this.#paused) parts.sequencer?.pause();
        const started = await startLocalChain(parts, { l1, blobChecks, values, progress, loggerFor, signal });
        chain.resolve({ ...started, parts });
      },
    });
    if (before !== undefined) node.config.change(before.config.current());
    this.#running = { ...(await chain.promise), node };
    return this.#running;
  }

  /** Stops the node; the admin port stays open. */
  async stop(): Promise<void> {
    const node = this.#running?.node;
    this.#paused = this.#running?.parts.sequencer?.status().paused ?? false;
    this.#before = node ?? this.#before;
    this.#running = undefined;
    await node?.stop();
  }

  async close(): Promise<void> {
    await this.stop();
    await this.#admin.close();
  }
}
