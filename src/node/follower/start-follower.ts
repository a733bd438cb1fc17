import { availableParallelism } from "node:os";
import { reportProgress } from "../../archiver/sync-progress.ts";
import { Synchronizer } from "../../archiver/synchronizer.ts";
import type { Configuration } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { type PartValues, partValues } from "../../config/part-values.ts";
import { loadCore } from "../../core/load-core.ts";
import { feedUpstreams } from "../../follower/follow/ask-upstream.ts";
import { FeedSource } from "../../follower/follow/feed-source.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import type { LoggerFor } from "../../process/logging/logging.ts";
import { writeNodeRecord } from "../../process/node-record.ts";
import type { RunningService } from "../../process/supervise.ts";
import { Teardown } from "../../process/teardown.ts";
import { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import { observeChain } from "../chain/observed-chain.ts";
import { openStoredChain } from "../chain/stored-chain.ts";
import type { ChainContext, Observed } from "../context/chain-context.ts";
import { BLOCK_THREADS_IDLE_MS, threadBudget } from "../context/thread-budget.ts";
import { startAdmin } from "../parts/admin.ts";
import { startConfiguredFeed } from "../parts/feed.ts";
import { startMetrics } from "../parts/metrics.ts";
import { nodeRecord, startRpc } from "../parts/rpc.ts";
import { followerAdmin } from "../services/follower-admin.ts";
import { followerHealth } from "../services/follower-health.ts";
import { storedServices } from "../services/stored-services.ts";
import { checkSnapshot, removeRefused } from "./snapshot-check.ts";
import { upstreamChain } from "./upstream-chain.ts";
import { startFromSnapshot } from "./upstream-snapshot.ts";

interface FollowerOptions {
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

interface RunningFollower extends RunningService {
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
    const { hello, keep } = await upstreamChain({
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
    const { mapSizeKb } = values.storage;
    const logger = loggerFor("follower");
    const { store, chain, world, rebuild } = await openStoredChain(
      {
        ...{ core, identity, publicData, directory, mapSizeKb, threads, loggerFor, signal, onFatal },
        idleMs: BLOCK_THREADS_IDLE_MS,
        async prepare(openChain) {
          if (removeRefused(directory, logger) || values.snapshots.mode === "full") return;
          await startFromSnapshot({
            ...{ upstreams: feeds, directory, identity, core, mapSizeKb, signal },
            openChain: (path) => openChain(path, onFatal),
            ...{ log: logger, stream: process.stderr },
          });
        },
      },
      teardown,
    );

    keep();
    const reader = { identity };
    const synchronizer = new Synchronizer({
      ...{ store, chain, worldState: world, reader, rebuild, logger },
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
    const { metrics } = counted;
    const ports = await openPorts(
      { store, chain, world, core, reader, synchronizer, publicData, threads, metrics, loggerFor },
      { ...options, partValues: values, rpcPort: hello.rpcPort, check, teardown },
    );
    synchronizer.start();
    return { ...ports, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}

interface PortsOptions extends FollowerOptions {
  partValues: PartValues;
  /** Of the node that serves the feed; 0 if it has none. */
  rpcPort: number;
  check: ReturnType<typeof checkSnapshot>;
  teardown: Teardown;
}

/** Opens the ports of a follower. Rejects with an OperatorError. */
async function openPorts(
  context: Omit<ChainContext, "reader" | "clock" | keyof Observed> &
    Pick<Observed, "metrics"> & { reader: { identity: RollupIdentity } },
  options: PortsOptions,
): Promise<Pick<RunningFollower, "port" | "feedPort">> {
  const { store, chain, world, core, reader, synchronizer, metrics, loggerFor } = context;
  const { values: given, partValues: values, directory, configuration, logTail, onFatal, check, teardown } = options;
  const health = followerHealth({ chain, world, synchronizer, snapshot: check?.health });
  teardown.add("health", () => health.close());
  const services = storedServices({
    ...{ store, chain, world, core, identity: reader.identity },
    ready: () => synchronizer.initialSyncComplete,
    revertWords: values.rpc.answers.revertWords,
    realProofs: values.proofs.real,
  });
  const upstreams = rpcUpstreams(values.follower, options.rpcPort);
  const rpc = await startRpc(context, { values, services, health, upstreams, onFatal });
  teardown.add("rpc", () => rpc.close());
  // Only now: it would take processor time from the start.
  check?.start();
  writeNodeRecord(directory.path, nodeRecord(values, reader, rpc.port));
  const feed = await startConfiguredFeed(context, { values, rpcPort: rpc.port });
  teardown.add("feed", () => feed?.stop());
  const log = loggerFor("rpc:admin");
  const admin = await startAdmin(context, {
    ...{ values, directory, reads: services },
    ...followerAdmin({ values: given, sync: synchronizer, metrics, health, upstreams, configuration, logTail, log }),
  });
  teardown.add("admin rpc", () => admin.close());
  return { port: rpc.port, feedPort: feed?.port };
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
