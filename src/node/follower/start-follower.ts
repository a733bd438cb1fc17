import { availableParallelism } from "node:os";
import { ContentStore } from "../../archiver/content-store.ts";
import { RebuildPool } from "../../archiver/rebuilders.ts";
import { reportProgress } from "../../archiver/sync-progress.ts";
import { Synchronizer } from "../../archiver/synchronizer.ts";
import { type ChainServices, openChainServices } from "../../chain-store/chain-services.ts";
import { reportMigration } from "../../chain-store/migrations/report-migration.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { type PartValues, partValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { CorePool } from "../../core/pool.ts";
import { feedUpstreams } from "../../follower/follow/ask-upstream.ts";
import { FeedSource } from "../../follower/follow/feed-source.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { writeNodeRecord } from "../../process/node-record.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import { ReaderWatch } from "../../storage/reader-watch.ts";
import { observeChain } from "../chain/observed-chain.ts";
import { BLOCK_THREADS_IDLE_MS, threadBudget } from "../context/thread-budget.ts";
import { startConfiguredFeed } from "../parts/feed.ts";
import { startMetrics } from "../parts/metrics.ts";
import { nodeRecord, startRpc } from "../parts/rpc.ts";
import { followerHealth } from "../services/follower-health.ts";
import { followerServices } from "../services/follower-services.ts";
import { startFollowerAdmin } from "./follower-admin.ts";
import { checkSnapshot, removeRefused } from "./snapshot-check.ts";
import { upstreamChain } from "./upstream-chain.ts";
import { startFromSnapshot } from "./upstream-snapshot.ts";

export interface FollowerOptions {
  values: Values;
  directory: DataDirectory;
  loggerFor: LoggerFor;
  /** Aborts the start. */
  signal: AbortSignal;
  onFatal?: (error: Error) => void;
  version: string;
  /** What the options gave. */
  configuration?: Pick<Configuration, "values" | "origins">;
  /** The latest lines of the log. */
  logTail?: LogTail;
}

export interface RunningFollower extends RunningService {
  /** Port of the public JSON-RPC. */
  readonly port: number;
  /** Port of the feed; undefined if it is not served. */
  readonly feedPort: number | undefined;
}

/**
 * Starts a follower. Resolves once its ports are open, which is before it has caught up. If the start fails, all
 * started parts are stopped.
 */
export async function startFollower(options: FollowerOptions): Promise<RunningFollower> {
  const { values: given, directory, loggerFor, signal, onFatal } = options;
  const values = partValues(given);
  const log = loggerFor("node");
  const teardown = new Teardown(log);
  try {
    const counted = await startMetrics({ ...options, values });
    teardown.add("metrics", () => counted.stop());
    const core = loadCore();
    const feeds = feedUpstreams(values.follower.upstreamUrls, counted.endpoints);
    const hello = await upstreamChain({
      upstreams: feeds,
      directory: directory.temporary ? undefined : directory.path,
      core,
      rollupVersion: values.l1.rollupVersion === "canonical" ? undefined : values.l1.rollupVersion,
      registryAddress: values.l1.registryAddress,
      log,
      signal,
    });
    const { identity, publicData } = hello;
    const threads = threadBudget(availableParallelism(), { rpcThreads: values.rpc.listen.threads });
    const hasher = new CorePool({ size: threads.hashing, idleMs: BLOCK_THREADS_IDLE_MS });
    teardown.add("hashing threads", () => hasher.close());
    const rebuilds = new RebuildPool(core, { threads: threads.rebuilding, idleMs: BLOCK_THREADS_IDLE_MS });
    teardown.add("rebuild threads", () => rebuilds.close());
    const { mapSizeKb } = values.storage;
    const openChain = (path: string): Promise<ChainServices> =>
      openChainServices({
        ...{ path, mapSizeKb, temporary: directory.temporary },
        ...{ core, identity, publicData, hasher, onFault: onFatal },
        ...{ report: reportMigration("chain", log), signal },
      });
    const logger = loggerFor("follower");
    if (!removeRefused(directory, logger) && values.snapshots.mode !== "full") {
      await startFromSnapshot({
        ...{ upstreams: feeds, directory, identity, core, mapSizeKb, openChain, signal },
        ...{ log: logger, stream: process.stderr },
      });
    }
    const { store, chain, world } = await openChain(directory.chainStore);
    teardown.add("store", () => store.close());
    const readers = new ReaderWatch(store, loggerFor("storage"));
    teardown.add("watch of readers", () => readers.stop());
    const opened = { path: store.path, temporary: directory.temporary, block: chain.latestBlockNumber() };
    log.info(opened, "opened the chain store at block {block}");

    const reader = { identity };
    const synchronizer = new Synchronizer({
      ...{ store, chain, worldState: world, reader, rebuild: rebuilds.rebuild, logger },
      source: (services) => new FeedSource(services, { upstreams: feeds, core }),
      options: {
        pollingIntervalMs: values.sync.pollingIntervalMs,
        checkpointHistory: values.storage.checkpointHistory,
      },
    });
    teardown.add("synchronizer", () => synchronizer.stop());
    observeChain(counted, { store, chain, world, synchronizer, now: Date.now });
    teardown.add("progress", reportProgress(synchronizer, { logger, stream: process.stderr }));

    const check = checkSnapshot(directory.path, {
      log: logger,
      onFault: (error) => {
        if (onFatal === undefined) throw error;
        onFatal(error);
      },
    });
    teardown.add("check of the snapshot", async () => check?.stop());
    const health = followerHealth({ chain, world, synchronizer, snapshot: check?.health });
    teardown.add("health", () => health.close());
    const { metrics, exportsMetrics } = counted;
    const services = followerServices(
      { chain, content: new ContentStore({ store, chain }), world, core, identity },
      {
        processed: () => chain.state.processed(),
        ready: () => synchronizer.initialSyncComplete,
        revertWords: values.rpc.answers.revertWords,
        realProofs: values.proofs.real,
      },
    );
    const upstreams = rpcUpstreams(values.follower, hello.rpcPort);
    const rpc = await startRpc(
      { store, chain, reader, publicData, threads, metrics, exportsMetrics, loggerFor },
      { values, services, health, upstreams, onFatal },
    );
    teardown.add("rpc", () => rpc.close());
    // Only now: it would take processor time from the start.
    check?.start();
    writeNodeRecord(directory.path, nodeRecord(values, reader, rpc.port));
    const feed = await startConfiguredFeed({ store, publicData, reader, loggerFor }, { values, rpcPort: rpc.port });
    teardown.add("feed", () => feed?.stop());
    const admin = await startFollowerAdmin(
      { synchronizer, chain, reader, metrics, loggerFor },
      {
        values: given,
        directory,
        reads: services,
        health,
        upstreams,
        configuration: options.configuration,
        logTail: options.logTail,
      },
    );
    teardown.add("admin rpc", () => admin.close());
    synchronizer.start();
    return { port: rpc.port, feedPort: feed?.port, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

/** The nodes that live calls are forwarded to: those given, or the public ports beside the feeds. */
function rpcUpstreams({ rpcUrls, upstreamUrls }: PartValues["follower"], rpcPort: number): UpstreamUrls {
  if (rpcUrls.length > 0 || rpcPort === 0) return new UpstreamUrls(rpcUrls);
  const beside = upstreamUrls.map((url) => {
    const { protocol, hostname } = new URL(url);
    return `${protocol}//${hostname}:${rpcPort}`;
  });
  return new UpstreamUrls([...new Set(beside)]);
}
