import { availableParallelism } from "node:os";
import { RebuildPool } from "../../archiver/rebuilders.ts";
import { reportProgress } from "../../archiver/sync-progress.ts";
import { Synchronizer } from "../../archiver/synchronizer.ts";
import { type ChainServices, openChainServices } from "../../chain-store/chain-services.ts";
import { reportMigration } from "../../chain-store/migrations/report-migration.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { CorePool } from "../../core/pool.ts";
import { type ConnectOptions, connectRollup } from "../../l1/connect.ts";
import type { DiscoveryOptions } from "../../l1/discovery.ts";
import type { ConnectedRollup } from "../../l1/types.ts";
import { ConfiguredGeneses } from "../../network/genesis.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { Teardown } from "../../process/teardown.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { SnapshotUploader } from "../../snapshots/upload.ts";
import { ReaderWatch } from "../../storage/reader-watch.ts";
import type { StoreFault } from "../../storage/store-errors.ts";
import type { PrefilledEntry } from "../../world-state/genesis.ts";
import { attestationValidator } from "../chain/attestations.ts";
import { openBlobSources } from "../chain/blobs.ts";
import { connectL1 } from "../chain/connect-l1.ts";
import { observeChain } from "../chain/observed-chain.ts";
import { untilCompatible } from "../chain/standby.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { ShiftableClock } from "../context/clock.ts";
import { BLOCK_THREADS_IDLE_MS, threadBudget } from "../context/thread-budget.ts";
import { onlyProves } from "../settings/roles.ts";
import type { NodeMetrics } from "./metrics.ts";
import { configuredUploader, restoreConfigured } from "./snapshots.ts";

export interface ChainOptions {
  values: PartValues;
  registryAddress: string;
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Aborts the start. */
  signal: AbortSignal;
  onFatal?: (error: Error) => void;
  counted: Pick<NodeMetrics, "metrics" | "l1Calls" | "endpoints" | "exportsMetrics" | "sampleAccounts" | "slotEnded">;
  /** Addresses to report that cannot be read from L1, unless the options give them. */
  otherAddresses?: DiscoveryOptions["otherAddresses"];
}

export interface ChainPart {
  readonly context: ChainContext;
  readonly snapshots: SnapshotUploader;
  /** Marks the start as complete: from then on `signal` no longer aborts calls to L1. */
  started(): void;
  stop(): Promise<void>;
}

function l1Options(
  { values, registryAddress, loggerFor, counted, otherAddresses = {} }: ChainOptions,
  clock: ShiftableClock,
): ConnectOptions {
  return {
    l1RpcUrls: values.l1.urls,
    debugRpcUrls: values.l1.debugUrls,
    l1ChainId: values.l1.chainId,
    ethereumSlotDuration: values.l1.slotDuration,
    timeoutMs: values.l1.timeoutMs,
    registryAddress,
    rollupVersion: values.l1.rollupVersion === "canonical" ? undefined : values.l1.rollupVersion,
    otherAddresses: {
      ...otherAddresses,
      ...(values.l1.slashFactoryAddress && { slashFactoryAddress: values.l1.slashFactoryAddress }),
      ...(values.l1.feeAssetHandlerAddress && { feeAssetHandlerAddress: values.l1.feeAssetHandlerAddress }),
    },
    requireTraces: !values.l1.allowNoTraces,
    calls: counted.l1Calls,
    endpoints: counted.endpoints,
    logger: loggerFor("l1"),
    now: () => clock.now() / 1000,
  };
}

/** Waits until L1 answers and has a rollup with a configured genesis. */
async function connectedRollup(
  { values, loggerFor, signal }: ChainOptions,
  l1: ConnectOptions,
  geneses: ConfiguredGeneses,
): Promise<{ reader: ConnectedRollup; publicData: PrefilledEntry[] }> {
  const log = loggerFor("node");
  log.info({ urls: values.l1.shownUrls, chainId: values.l1.chainId }, "connecting to L1 chain {chainId} at {urls}");
  const { reader, genesis } = await untilCompatible({
    host: values.rpc.listen.host,
    port: values.rpc.listen.port,
    prefix: values.rpc.listen.prefix,
    maxConnections: values.rpc.limits.maxConnections,
    connect: () => connectL1(l1, values.l1.maxDriftSeconds, log, signal),
    reconnect: () => connectRollup(l1),
    geneses,
    log,
    signal,
  });
  const { publicData, archiveRoot } = genesis;
  const funded = { fundedAddresses: publicData.length, archiveRoot: toHex(archiveRoot) };
  log.info(funded, "genesis funds {fundedAddresses} addresses");
  const { rollupVersion, addresses, constants } = reader.identity;
  const facts = {
    rollupVersion,
    rollupAddress: addresses.rollupAddress,
    l1StartBlock: constants.l1StartBlock,
  };
  log.info(facts, "following the rollup {rollupAddress}");
  return { reader, publicData };
}

/**
 * Starts all services that follow L1 and store the chain; `context.synchronizer.start()` starts the sync. If the start
 * fails, all started services are stopped.
 */
export async function startChain(options: ChainOptions): Promise<ChainPart> {
  const { values, directory, loggerFor, signal, onFatal, counted } = options;
  const log = loggerFor("node");
  const teardown = new Teardown(log);
  try {
    const core = loadCore();
    const l1Calls = new AbortController();
    teardown.add("L1 calls", () => l1Calls.abort());
    // During the start, `signal` aborts calls to L1 directly; later the synchronizer is stopped first.
    const interrupted = (): void => l1Calls.abort(signal.reason);
    signal.addEventListener("abort", interrupted);
    const clock = new ShiftableClock();
    const l1 = { ...l1Options(options, clock), signal: l1Calls.signal };
    const { reader, publicData } = await connectedRollup(options, l1, new ConfiguredGeneses(core, values.genesis));
    const { identity } = reader;

    const threads = threadBudget(availableParallelism(), {
      rpcThreads: values.rpc.listen.threads,
      onlyProves: onlyProves(values.modes),
    });
    // A prover node's memory matters more than how soon it has a block.
    const idleMs = onlyProves(values.modes) ? undefined : BLOCK_THREADS_IDLE_MS;
    const hasher = new CorePool({ size: threads.hashing, idleMs });
    teardown.add("hashing threads", () => hasher.close());
    const rebuilds = new RebuildPool(core, { threads: threads.rebuilding, idleMs });
    teardown.add("rebuild threads", () => rebuilds.close());

    const { mapSizeKb } = values.storage;
    const report = reportMigration("chain", log);
    const openChain = (path: string, onFault?: (fault: StoreFault) => void): Promise<ChainServices> =>
      openChainServices({
        ...{ path, mapSizeKb, temporary: directory.temporary },
        ...{ core, identity, publicData, hasher, onFault, report, signal },
      });
    await restoreConfigured({ values, directory, reader, core, openChain, logger: loggerFor("snapshots"), signal });
    const { store, chain, world } = await openChain(directory.chainStore, onFatal);
    teardown.add("store", () => store.close());
    const opened = { path: store.path, temporary: directory.temporary, block: chain.latestBlockNumber() };
    const readers = new ReaderWatch(store, loggerFor("storage"));
    teardown.add("watch of readers", () => readers.stop());
    log.info(opened, "opened the chain store at block {block}");

    const signals = { start: signal, l1: l1Calls.signal };
    const blobs = await openBlobSources(values, identity, loggerFor("l1:blobs"), signals, counted);
    teardown.add("blob sources", () => blobs.close());

    const logger = loggerFor("archiver");
    const synchronizer = new Synchronizer({
      store,
      chain,
      worldState: world,
      reader,
      blobs,
      rebuild: rebuilds.rebuild,
      validateAttestations: attestationValidator(reader),
      logger,
      options: {
        pollingIntervalMs: values.sync.pollingIntervalMs,
        batchSize: values.sync.batchSize,
        checkpointHistory: values.storage.checkpointHistory,
      },
    });
    teardown.add("synchronizer", () => {
      // Stopped first, so that it expects its calls to be aborted.
      const stopped = synchronizer.stop();
      l1Calls.abort();
      return stopped;
    });
    observeChain(counted, { store, chain, world, synchronizer, now: clock.now });
    teardown.add("progress", reportProgress(synchronizer, { logger, stream: process.stderr }));

    const snapshots = configuredUploader({
      values,
      identity,
      store,
      chain,
      openChain,
      synchronizer,
      directory: directory.path,
      metrics: counted.metrics,
      logger: loggerFor("snapshots"),
    });
    teardown.add("snapshot upload", () => snapshots.stop());
    return {
      context: {
        store,
        chain,
        world,
        core,
        reader,
        synchronizer,
        publicData,
        clock,
        threads,
        loggerFor,
        metrics: counted.metrics,
        l1Calls: counted.l1Calls,
        endpoints: counted.endpoints,
        exportsMetrics: counted.exportsMetrics,
        sampleAccounts: counted.sampleAccounts,
        slotEnded: counted.slotEnded,
      },
      snapshots,
      started: () => signal.removeEventListener("abort", interrupted),
      stop: () => teardown.run(),
    };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
