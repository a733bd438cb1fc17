import { availableParallelism } from "node:os";
import type { ChainStore } from "../archiver/chain-store.ts";
import { RebuildPool } from "../archiver/rebuilders.ts";
import { reportProgress } from "../archiver/sync-progress.ts";
import { Synchronizer } from "../archiver/synchronizer.ts";
import { shownValue } from "../config/configuration.ts";
import type { Values } from "../config/options.ts";
import { loadCore } from "../core/load-core.ts";
import { CorePool } from "../core/pool.ts";
import type { Kzg } from "../l1/blobs/kzg.ts";
import type { ConnectOptions } from "../l1/connect.ts";
import { connectRollup } from "../l1/connect.ts";
import type { DiscoveryOptions } from "../l1/discovery.ts";
import type { ConnectedRollup } from "../l1/types.ts";
import { toHex } from "../protocol/bytes.ts";
import { ARCHIVE } from "../protocol/constants.ts";
import { versionHeaders } from "../rpc/http/version-headers.ts";
import { FunctionSignatures } from "../rpc/methods/function-signatures.ts";
import { startPublicRpc } from "../rpc/threads/public-rpc.ts";
import type { BlockBreak } from "../sequencer/build-blocks.ts";
import type { Store } from "../storage/store.ts";
import type { StoreFault } from "../storage/store-errors.ts";
import { genesisState } from "../world-state/genesis.ts";
import { configuredValues } from "./admin/configured-values.ts";
import { LiveConfig } from "./admin/live-config.ts";
import { startAdmin } from "./admin/start-admin.ts";
import { attestationValidator } from "./attestations.ts";
import { openBlobSources } from "./blobs.ts";
import { openChainServices } from "./chain-services.ts";
import { ShiftableClock } from "./clock.ts";
import { connectL1 } from "./connect-l1.ts";
import type { DataDirectory } from "./data-directory.ts";
import { genesisPublicData } from "./genesis.ts";
import type { LoggerFor } from "./logging.ts";
import { type NodeMempool, startMempool } from "./mempool.ts";
import { logReverts } from "./revert-log.ts";
import { rpcServices } from "./rpc-services.ts";
import { configurableSequencer, startSequencer } from "./sequencer.ts";
import { configuredUploader, restoreConfigured } from "./snapshots/configured.ts";
import { untilCompatible } from "./standby.ts";
import type { RunningService } from "./supervise.ts";
import { Teardown } from "./teardown.ts";
import { threadBudget } from "./thread-budget.ts";

/** Release of the network whose rules and wire formats this node follows; it is what peers and wallets compare. */
export const NETWORK_RELEASE = "4.1.2";

export interface NodeOptions {
  values: Values & { registryAddress: string };
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Ends the start. */
  signal: AbortSignal;
  /** Told of what the node cannot go on after: a chain store that takes no more writes, or one that is damaged. */
  onFatal?: (error: Error) => void;
  /** Contracts to report that nothing on L1 names, where the options do not name them. */
  otherAddresses?: DiscoveryOptions["otherAddresses"];
  /** What commits to blobs; closed by its owner. */
  kzg?: Kzg;
  /** Logs why the txs of its own blocks reverted. */
  logReverts?: boolean;
  /** Done before the public port opens; by then the node follows L1. */
  beforeListening?: (parts: ChainParts) => Promise<void>;
}

/** What others do to a sequencer. */
export interface SteeredSequencer {
  status(): { state: string };
  /** The wait between blocks of a slot that may be under way. */
  readonly blockBreak: BlockBreak | undefined;
  onStateChange(listener: () => void): () => unknown;
  /** Told of each checkpoint that L1 took. Returns the way to leave. */
  onPublished(listener: () => void): () => unknown;
  wake(): void;
  /** Begins no block until the returned function is called. */
  hold(): () => void;
  pause(): void;
  resume(): void;
}

/** The services of a node that has not opened its public port yet. */
export interface ChainParts {
  store: Store;
  chain: ChainStore;
  reader: ConnectedRollup;
  synchronizer: Synchronizer;
  mempool: NodeMempool;
  /** Undefined in a node that builds no blocks. */
  sequencer: SteeredSequencer | undefined;
  clock: ShiftableClock;
  /** Takes what is started beside them. */
  teardown: Teardown;
}

export interface RunningNode extends RunningService {
  /** Port of the public JSON-RPC. */
  readonly port: number;
  /** Port of the admin JSON-RPC. */
  readonly adminPort: number;
  /** Resolves once the chain has been caught up with; rejects when the node stops before. */
  synced(): Promise<void>;
}

function l1Options({ values, loggerFor, otherAddresses = {} }: NodeOptions, clock: ShiftableClock): ConnectOptions {
  return {
    l1RpcUrls: values.l1RpcUrls,
    debugRpcUrls: values.l1DebugRpcUrls,
    l1ChainId: values.l1ChainId,
    ethereumSlotDuration: values.ethereumSlotDuration,
    registryAddress: values.registryAddress,
    rollupVersion: values.rollupVersion === "canonical" ? undefined : values.rollupVersion,
    otherAddresses: {
      ...otherAddresses,
      ...(values.slashFactoryAddress && { slashFactoryAddress: values.slashFactoryAddress }),
      ...(values.feeAssetHandlerAddress && { feeAssetHandlerAddress: values.feeAssetHandlerAddress }),
    },
    requireTraces: !values.ethereumAllowNoDebugHosts,
    logger: loggerFor("l1"),
    now: () => clock.now() / 1000,
  };
}

/**
 * Constructs the services of a node and starts them: resolves once it follows L1 and answers on the public port, which it does
 * during the initial sync already. Whatever was started is stopped again when the start fails.
 */
export async function startNode(options: NodeOptions): Promise<RunningNode> {
  const { values, directory, loggerFor, signal } = options;
  const log = loggerFor("node");
  const teardown = new Teardown(log);
  try {
    const core = loadCore();
    const publicData = genesisPublicData(core, values);
    const genesisArchiveRoot = genesisState(core, publicData).fork.snapshot(ARCHIVE).root;
    log.info({ fundedAddresses: publicData.length, archiveRoot: toHex(genesisArchiveRoot) }, "genesis is known");

    const l1Calls = new AbortController();
    teardown.add("L1 calls", () => l1Calls.abort());
    // Until the node runs, a stop ends the calls at once; later the synchronizer is told first.
    const interrupted = (): void => l1Calls.abort(signal.reason);
    signal.addEventListener("abort", interrupted);
    const clock = new ShiftableClock();
    const l1 = { ...l1Options(options, clock), signal: l1Calls.signal };
    log.info({ urls: shownValue("l1RpcUrls", values), chainId: values.l1ChainId }, "connecting to L1");
    const first = await connectL1(l1, values.maxAllowedEthClientDriftSeconds, log, signal);
    const reader = await untilCompatible(first, {
      host: values.rpcHost,
      port: values.port,
      maxConnections: values.rpcMaxConnections,
      reconnect: () => connectRollup(l1),
      genesisArchiveRoot,
      log,
      signal,
    });
    const { identity } = reader;
    log.info(
      {
        rollupVersion: identity.rollupVersion,
        rollupAddress: identity.addresses.rollupAddress,
        l1StartBlock: identity.constants.l1StartBlock,
      },
      "following the rollup",
    );

    const threads = threadBudget(availableParallelism(), values.rpcThreads);
    const hasher = new CorePool({ size: threads.hashing });
    teardown.add("hashing threads", () => hasher.close());
    const rebuilds = new RebuildPool(core, { threads: threads.rebuilding });
    teardown.add("rebuild threads", () => rebuilds.close());

    const { dataStoreMapSizeKb: mapSizeKb } = values;
    const openChain = (path: string, onFault?: (fault: StoreFault) => void) =>
      openChainServices({ path, mapSizeKb, core, identity, publicData, hasher, onFault });
    await restoreConfigured({ values, directory, reader, core, openChain, logger: loggerFor("snapshots"), signal });
    const { store, chain, world } = await openChain(directory.chainStore, options.onFatal);
    teardown.add("store", () => store.close());
    log.info(
      { path: store.path, temporary: directory.temporary, block: chain.latestBlockNumber() },
      "chain store is open",
    );

    const blobs = await openBlobSources(values, identity, loggerFor("l1:blobs"), {
      start: signal,
      l1: l1Calls.signal,
    });
    teardown.add("blob sources", () => blobs.close());

    const synchronizer = new Synchronizer({
      store,
      chain,
      worldState: world,
      reader,
      blobs,
      rebuild: rebuilds.rebuild,
      validateAttestations: attestationValidator(reader),
      logger: loggerFor("archiver"),
      options: {
        pollingIntervalMs: values.archiverPollingIntervalMS,
        batchSize: values.archiverBatchSize,
        checkpointHistory: values.worldStateCheckpointHistory,
      },
    });
    teardown.add("synchronizer", () => {
      // Told first, so that it takes the end of its calls for what it is.
      const stopped = synchronizer.stop();
      l1Calls.abort();
      return stopped;
    });
    teardown.add("progress", reportProgress(synchronizer, { logger: loggerFor("archiver"), stream: process.stderr }));

    const snapshots = configuredUploader({
      values,
      identity,
      store,
      chain,
      openChain,
      synchronizer,
      directory: directory.path,
      logger: loggerFor("snapshots"),
    });
    teardown.add("snapshot upload", () => snapshots.stop());

    const signatures = new FunctionSignatures();
    const mempool = await startMempool({
      values,
      directory: directory.path,
      core,
      store,
      chain,
      world,
      reader,
      synchronizer,
      threads,
      publicData,
      functionNames: signatures,
      now: clock.now,
      onFatal: options.onFatal,
      loggerFor,
    });
    teardown.add("mempool", () => mempool.stop());

    signal.throwIfAborted();
    const producer = values.sequencer
      ? await startSequencer({
          values,
          directory,
          core,
          store,
          chain,
          world,
          reader,
          synchronizer,
          mempool,
          now: clock.now,
          loggerFor,
          kzg: options.kzg,
          built: options.logReverts
            ? (processed) => logReverts(processed, signatures, loggerFor("sequencer"))
            : undefined,
        })
      : undefined;
    teardown.add("sequencer", () => producer?.stop());
    const sequencer: SteeredSequencer | undefined = producer?.sequencer;
    const config = new LiveConfig(configuredValues(values), {
      sync: synchronizer,
      pool: mempool.pool,
      checks: mempool.contexts,
      sequencer: producer && configurableSequencer(producer.sequencer),
    });
    const chainReads = rpcServices({
      store,
      chain,
      world,
      core,
      reader,
      ready: () => mempool.ready(),
      version: NETWORK_RELEASE,
      signatures,
      setupAllowList: () => mempool.contexts.options.setupAllowList,
      realProofs: values.realProofs,
      blockDurationMs: () => config.current().blockDurationMs,
    });
    const services = { ...chainReads, ...mempool.services };
    if (options.beforeListening !== undefined) {
      synchronizer.start();
      producer?.sequencer.start();
      await options.beforeListening({ store, chain, reader, synchronizer, mempool, sequencer, clock, teardown });
    }
    const server = {
      maxBodyBytes: values.rpcMaxBodySize,
      maxBatchSize: values.rpcMaxBatchSize,
      maxConnections: values.rpcMaxConnections,
      versionHeaders: versionHeaders({
        l1ChainId: identity.l1ChainId,
        l1RollupAddress: identity.addresses.rollupAddress,
        rollupVersion: identity.rollupVersion,
        packageVersion: NETWORK_RELEASE,
      }),
    };
    const listener = await startPublicRpc({
      threads,
      services,
      store,
      chain,
      reads: { mapSizeKb, identity, publicData },
      cacheBytes: values.rpcCacheSize,
      server: {
        ...server,
        host: values.rpcHost,
        port: values.port,
        namespaces: values.rpcNamespaces,
        rateLimit: values.rpcRateLimit,
        maxWaitingBytes: values.rpcMaxWaitingSize,
      },
      log: loggerFor("rpc"),
    });
    teardown.add("rpc", () => listener.close());
    log.info({ host: values.rpcHost, port: listener.port, adapter: listener.adapter }, "answering JSON-RPC");

    const admin = await startAdmin({
      values,
      directory,
      synchronizer,
      chain,
      pool: mempool.pool,
      keys: producer?.keys,
      snapshots,
      sequencer: producer?.sequencer,
      slasher: undefined,
      config,
      server,
      loggerFor,
    });
    teardown.add("admin rpc", () => admin.close());

    synchronizer.start();
    producer?.sequencer.start();
    signal.removeEventListener("abort", interrupted);
    return {
      port: listener.port,
      adminPort: admin.port,
      synced: () => synchronizer.waitForInitialSync(),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.run();
    throw error;
  }
}
