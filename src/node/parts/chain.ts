import { availableParallelism } from "node:os";
import { reportProgress } from "../../archiver/sync-progress.ts";
import { Synchronizer } from "../../archiver/synchronizer.ts";
import type { PartValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import type { SourcedBlobFetcher } from "../../l1/blobs/blob-fetcher.ts";
import { attestationValidator } from "../../l1/committee/validate-attestations.ts";
import { type ConnectOptions, connectRollup } from "../../l1/rollup/connect.ts";
import type { DiscoveryOptions } from "../../l1/rollup/discovery.ts";
import type { ConnectedRollup } from "../../l1/types.ts";
import { ConfiguredGeneses } from "../../network/genesis.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { Teardown } from "../../process/teardown.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { SnapshotUploader } from "../../snapshots/upload.ts";
import type { PrefilledEntry } from "../../world-state/tables/genesis-row.ts";
import { openBlobSources } from "../chain/blobs.ts";
import { connectL1 } from "../chain/connect-l1.ts";
import { observeChain } from "../chain/observed-chain.ts";
import { untilCompatible } from "../chain/standby.ts";
import { openStoredChain, type StoredChain } from "../chain/stored-chain.ts";
import type { ChainContext, Observed } from "../context/chain-context.ts";
import { ShiftableClock } from "../context/clock.ts";
import { BLOCK_THREADS_IDLE_MS, threadBudget } from "../context/thread-budget.ts";
import { checkDuties } from "../settings/duties-of-rollup.ts";
import { onlyProves } from "../settings/roles.ts";
import { configuredUploader, restoreConfigured } from "./snapshots.ts";

interface ChainOptions {
  values: PartValues;
  registryAddress: string;
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Aborts the start. */
  signal: AbortSignal;
  onFatal?: (error: Error) => void;
  counted: Observed;
  /** Addresses to report that cannot be read from L1, unless the options give them. */
  otherAddresses?: DiscoveryOptions["otherAddresses"];
}

interface ChainPart {
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

/** Waits until L1 answers and has a rollup with a configured genesis. Throws a ConfigurationError (checkDuties). */
async function connectedRollup(
  { values, loggerFor, signal }: ChainOptions,
  l1: ConnectOptions,
  geneses: ConfiguredGeneses,
): Promise<{ reader: ConnectedRollup; publicData: readonly PrefilledEntry[] }> {
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
  checkDuties(values, reader.identity);
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
  const teardown = new Teardown(loggerFor("node"));
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
    const proves = onlyProves(values.modes);
    const threads = threadBudget(availableParallelism(), { rpcThreads: values.rpc.listen.threads, onlyProves: proves });
    const stored = await openStoredChain(
      {
        ...{ core, identity, publicData, directory, threads, loggerFor, signal, onFatal },
        mapSizeKb: values.storage.mapSizeKb,
        // A prover node's memory matters more than how soon it has a block.
        idleMs: proves ? undefined : BLOCK_THREADS_IDLE_MS,
        prepare: (openChain) =>
          restoreConfigured({ values, directory, reader, core, openChain, logger: loggerFor("snapshots"), signal }),
      },
      teardown,
    );
    const { store, chain, world } = stored;
    const signals = { start: signal, l1: l1Calls.signal };
    const blobs = await openBlobSources(values, identity, loggerFor("l1:blobs"), signals, counted);
    teardown.add("blob sources", () => blobs.close());
    const synchronizer = chainSynchronizer(options, { stored, reader, blobs });
    teardown.add("synchronizer", () => {
      // Stopped first, so that it expects its calls to be aborted.
      const stopped = synchronizer.stop();
      l1Calls.abort();
      return stopped;
    });
    observeChain(counted, { store, chain, world, synchronizer, now: clock.now });
    const progress = reportProgress(synchronizer, { logger: loggerFor("archiver"), stream: process.stderr });
    teardown.add("progress", progress);
    const snapshots = configuredUploader({
      ...{ values, identity, store, chain, synchronizer, openChain: stored.openChain },
      directory: directory.path,
      metrics: counted.metrics,
      logger: loggerFor("snapshots"),
    });
    teardown.add("snapshot upload", () => snapshots.stop());
    return {
      context: {
        ...{ store, chain, world, core, reader, synchronizer, publicData, clock, threads, loggerFor },
        ...counted,
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

/** Follows the rollup on L1; not started. */
function chainSynchronizer(
  { values, loggerFor }: ChainOptions,
  { stored, reader, blobs }: { stored: StoredChain; reader: ConnectedRollup; blobs: SourcedBlobFetcher },
): Synchronizer {
  const { store, chain, world: worldState, rebuild } = stored;
  return new Synchronizer({
    ...{ store, chain, worldState, reader, blobs, rebuild },
    validateAttestations: attestationValidator(reader, chain.generation),
    logger: loggerFor("archiver"),
    options: {
      pollingIntervalMs: values.sync.pollingIntervalMs,
      batchSize: values.sync.batchSize,
      checkpointHistory: values.storage.checkpointHistory,
    },
  });
}
