import type { ChainStore } from "../archiver/chain-store.ts";
import type { Store } from "../storage/store.ts";
import type { Logger } from "../telemetry/logger.ts";
import type { Metrics } from "../telemetry/metrics/metrics.ts";
import { CallCounts, wireNames } from "./calls/call-counts.ts";
import { UpstreamEndpoints } from "./forward/upstream-endpoints.ts";
import { UpstreamPool } from "./forward/upstream-pool.ts";
import type { UpstreamUrls } from "./forward/upstream-urls.ts";
import { Upstreams } from "./forward/upstreams.ts";
import { KeyCounts } from "./keys/key-counts.ts";
import { KeyFile } from "./keys/key-file.ts";
import type { KeyAccess } from "./keys/keyed-application.ts";
import { keyAccess, ringOf, sharedKeys } from "./keys/shared-keys.ts";
import { observeKeys, observeRpc } from "./metrics.ts";
import type { NodeHealth } from "./ports/node-health.ts";
import type { NodeServices } from "./ports/node-services.ts";
import type { PoolEvents } from "./ports/pool-events.ts";
import { publicRegistry } from "./server/public-registry.ts";
import { RPC_DEFAULTS, startRpcServer } from "./server/rpc-server.ts";
import { SocketCuts } from "./subscriptions/socket-cuts.ts";
import { LongCallPool } from "./threads/long-call-pool.ts";
import { consistencyOf, type RpcReadsOptions, resultCache } from "./threads/rpc-reads.ts";
import { RpcThreads, type RpcThreadsOptions } from "./threads/rpc-threads.ts";
import type { Listener } from "./wire/listener.ts";

export interface PublicRpcOptions {
  threads: { /** 0 answers on this thread. */ rpc: number; longCalls: number };
  /** Of this thread. */
  services: NodeServices;
  /** Serves /live, /ready and /status?format=json. */
  health?: NodeHealth;
  /** Undefined where there is no pool. */
  poolEvents?: PoolEvents;
  /** Of the same store. */
  store: Store;
  chain: ChainStore;
  reads: Omit<RpcReadsOptions, "path" | "commits">;
  server: RpcThreadsOptions["server"];
  /** See RpcThreadsOptions. */
  cacheBytes: number;
  /** See RpcThreadSettings; RPC_DEFAULTS by default. */
  minBlockWaitMs?: number;
  /** A file of API keys, and whether calls without a key are refused. */
  keys?: { file: string; required: boolean };
  /** Where calls are forwarded that need services which `services` only stand in for; see neededServices. */
  upstreams?: UpstreamUrls;
  /** See RpcThreadSettings. */
  upstreamApiKey?: string;
  /** Told of the calls; they are not counted without. */
  metrics?: Metrics;
  log: Logger;
  /** See RpcThreadsOptions. */
  onFatal?: RpcThreadsOptions["onFatal"];
}

/** Opens the public JSON-RPC port. Rejects with a ListenError. */
export async function startPublicRpc(options: PublicRpcOptions): Promise<Listener> {
  const {
    threads,
    services,
    health,
    poolEvents,
    store,
    chain,
    server,
    cacheBytes,
    minBlockWaitMs = RPC_DEFAULTS.minBlockWaitMs,
    upstreams,
    upstreamApiKey,
    metrics,
    log,
    onFatal,
  } = options;
  const reads = { ...options.reads, path: store.path, commits: store.commits };
  const { namespaces } = server.serve;
  const { maxBatchSize = RPC_DEFAULTS.maxBatchSize, maxWaitingBytes: maxAnswerBytes = RPC_DEFAULTS.maxWaitingBytes } =
    server.limits ?? {};
  const { refusesBlocksAhead } = server.forward ?? {};
  const longCalls = new LongCallPool(
    {
      ...{ reads, namespaces, maxBatchSize, maxAnswerBytes, refusesBlocksAhead },
      ...{ forwards: upstreams !== undefined, revertWords: services.status.revertWords },
    },
    { threads: threads.longCalls, log },
  );
  const registry = publicRegistry(services, reads);
  const names = wireNames(registry, namespaces);
  const calls = metrics && CallCounts.memory(names, Math.max(1, threads.rpc));
  const counts = calls && new CallCounts(calls, names);
  const socketCuts = SocketCuts.memory();
  const cuts = new SocketCuts(socketCuts);
  let keys: KeyFile | undefined;
  const startOnThisThread = (access: KeyAccess | undefined): Promise<Listener> => {
    const endpoints = upstreams && new UpstreamEndpoints(() => upstreams.current, log);
    const upstream = endpoints && { upstreams: endpoints, apiKey: upstreamApiKey, log };
    const upstreamPool = upstream && new UpstreamPool(upstream);
    const poolStatus = (hash: Uint8Array) => (upstreamPool ?? services.mempool).status(hash);
    const results = resultCache({ store, chain }, cacheBytes);
    const consistency = consistencyOf(results, { store, chain }, minBlockWaitMs);
    const forwarder = upstream && new Upstreams({ ...upstream, consistency });
    return startRpcServer(
      registry,
      {
        listen: server.listen,
        serve: { ...server.serve, health, keys: access, counts },
        limits: server.limits,
        cache: { results, consistency },
        forward: { ...server.forward, forwarder, longCalls },
        sockets: server.sockets && {
          settings: server.sockets,
          sources: { ...services, store, pool: upstreamPool ?? poolEvents, poolStatus },
          cuts,
        },
      },
      log,
    );
  };
  try {
    keys = options.keys && (await KeyFile.open(options.keys.file, log));
    const shared = options.keys && sharedKeys(options.keys.required);
    const listener = await (threads.rpc === 0
      ? startOnThisThread(keys && shared && keyAccess(ringOf(keys), shared))
      : RpcThreads.start({
          ...{ threads: threads.rpc, services, health, poolEvents, longCalls, reads, server, cacheBytes },
          ...{
            minBlockWaitMs,
            upstreams,
            upstreamApiKey,
            calls,
            socketCuts,
            keys: keys && shared && { source: keys, shared },
            log,
            onFatal,
          },
        }));
    const rpcThreads = listener instanceof RpcThreads ? listener : undefined;
    const observed = metrics && counts && observeRpc(metrics, { counts, longCalls, cuts, threads: rpcThreads });
    if (metrics && shared) observeKeys(metrics, new KeyCounts(shared.counts));
    return new PublicListener(listener, longCalls, { keys, observed });
  } catch (error) {
    keys?.close();
    await longCalls.close();
    throw error;
  }
}

/** Ends the threads for long calls after the calls that wait for them. */
class PublicListener implements Listener {
  readonly #listener: Listener;
  readonly #longCalls: LongCallPool;
  readonly #keys: KeyFile | undefined;
  readonly #unobserve: (() => void) | undefined;

  constructor(
    listener: Listener,
    longCalls: LongCallPool,
    { keys, observed }: { keys: KeyFile | undefined; observed: (() => void) | undefined },
  ) {
    this.#listener = listener;
    this.#unobserve = observed;
    this.#longCalls = longCalls;
    this.#keys = keys;
  }

  get adapter(): Listener["adapter"] {
    return this.#listener.adapter;
  }

  get port(): number {
    return this.#listener.port;
  }

  async close(graceMs?: number): Promise<void> {
    this.#keys?.close();
    this.#unobserve?.();
    await this.#listener.close(graceMs);
    await this.#longCalls.close();
  }

  abandon(): void {
    this.#listener.abandon();
  }
}
