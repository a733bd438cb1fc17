import type { MessagePort } from "node:worker_threads";
import type { Logger } from "../../telemetry/logger.ts";
import { CallCounts, wireNames } from "../calls/call-counts.ts";
import { neededServices } from "../forward/live-services.ts";
import { UpstreamEndpoints } from "../forward/upstream-endpoints.ts";
import { UpstreamPool } from "../forward/upstream-pool.ts";
import { Upstreams } from "../forward/upstreams.ts";
import type { ApiKey } from "../keys/api-key.ts";
import { KeyRing } from "../keys/key-ring.ts";
import { keyAccess, type SharedKeys } from "../keys/shared-keys.ts";
import { OpenConnections } from "../limits/open-connections.ts";
import { SocketCounts } from "../limits/socket-counts.ts";
import type { NodeServices } from "../ports/node-services.ts";
import type { NodeStatus } from "../ports/node-status.ts";
import type { PoolChange, PoolEvents } from "../ports/pool-events.ts";
import type { Registry } from "../registry/registry.ts";
import { RemoteCalls } from "../remote/call-port.ts";
import { givenTxBuffers } from "../remote/given-tx-buffers.ts";
import { remoteHealth, remoteLongCalls, remoteServices } from "../remote/remote-services.ts";
import { publicRegistry } from "../server/public-registry.ts";
import { type PortSettings, startRpcServer } from "../server/rpc-server.ts";
import { SocketCuts } from "../subscriptions/socket-cuts.ts";
import { ListenError, type Listener } from "../wire/listener.ts";
import { LimitedLongCalls } from "./long-call-limits.ts";
import { consistencyOf, openRpcReads, type RpcReadsOptions, resultCache } from "./rpc-reads.ts";

/** Calls of one thread to the node's thread that may wait for their answers. */
const MAX_WAITING_CALLS = 1_024;

/** What all RPC threads of a node have in common. Plain data and shared memory. */
export interface RpcThreadSettings {
  reads: RpcReadsOptions;
  status: Omit<NodeStatus, "ready" | "txGasLimits">;
  /** Whether the node's thread reports its health. */
  health: boolean;
  /** Each thread's own limits among them. */
  server: PortSettings;
  /** Most bytes of results that a thread keeps. */
  cacheBytes: number;
  /** Longest wait of a request for its least block. */
  minBlockWaitMs: number;
  /**
   * Where calls are forwarded that need the services of a full node; the services of this process are then not asked.
   * Undefined in a full node.
   */
  upstreams?: readonly string[];
  /** That the upstreams ask of this process. */
  upstreamApiKey?: string;
  /** See OpenConnections and ClientLimit. */
  connections: SharedArrayBuffer;
  rateLimit: SharedArrayBuffer;
  /** See SocketCounts. */
  sockets: SharedArrayBuffer;
  /** See SocketCuts. */
  socketCuts: SharedArrayBuffer;
  /** Whether the node's thread reports changes of the pool. */
  poolEvents: boolean;
  /** See CallCounts; calls are not counted without. */
  calls?: SharedArrayBuffer;
  /** Shared by the threads; there are no keys without. */
  keys?: SharedKeys;
  /** One word: how many threads have a listener that has to be closed before the process may end. */
  listening: SharedArrayBuffer;
}

export interface RpcThreadData {
  settings: RpcThreadSettings;
  /** Its number among the threads, from 0. */
  slot: number;
  /** To the services of the node's thread. */
  calls: MessagePort;
  /** Those that are valid when the thread starts. */
  keys: readonly ApiKey[];
}

/** Messages of a thread. */
export type FromThread =
  | { kind: "listening"; port: number; adapter: Listener["adapter"] }
  | { kind: "port-taken"; code: string | undefined }
  | { kind: "log"; level: keyof Logger; facts: object; message: string };

/** Messages to a thread. `abandon` is for the end of the process. */
export type ToThread =
  | { kind: "close"; graceMs: number | undefined }
  | { kind: "abandon" }
  | { kind: "keys"; keys: readonly ApiKey[] }
  | { kind: "pool-change"; change: PoolChange }
  | { kind: "upstreams"; urls: readonly string[] };

/** Changes of the pool, as the node's thread reports them to `received`. */
function receivedPoolEvents(): PoolEvents & { received(change: PoolChange): void } {
  const listeners = new Set<(change: PoolChange) => void>();
  return {
    received(change) {
      for (const listener of listeners) listener(change);
    },
    // All of them come after the listener of the only hub is there.
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

/** Lines of a thread are written by the node's thread, which knows levels and secrets. */
function forwardingLogger(control: MessagePort): Logger {
  const forward = (level: keyof Logger) => (facts: object, message: string) => {
    const tell = (shown: object) =>
      control.postMessage({ kind: "log", level, facts: shown, message } satisfies FromThread);
    try {
      tell(facts);
    } catch {
      // Facts that cannot be cloned.
      tell({ facts: String(facts) });
    }
  };
  return { debug: forward("debug"), info: forward("info"), warn: forward("warn"), error: forward("error") };
}

/**
 * Answers the public JSON-RPC on a thread of its own, over its own readers of the store, until told to close. Ending a
 * thread with an open native listener would end the process, so every way out of here closes it first.
 */
export async function runRpcThread(
  { settings, slot, calls, keys }: RpcThreadData,
  control: MessagePort,
  adapt: (registry: Registry) => Registry = (registry) => registry,
): Promise<void> {
  const { status, server } = settings;
  const { store, ...reads } = openRpcReads(settings.reads);
  const remoteCalls = new RemoteCalls(calls, { max: MAX_WAITING_CALLS, handsOver: givenTxBuffers });
  const remote = remoteServices(remoteCalls);
  let { upstreams } = settings;
  const live = upstreams === undefined ? remote : neededServices();
  const services: NodeServices = {
    ...live,
    ...reads,
    identity: settings.reads.identity,
    status: { ...status, ...live.status },
    sync: { lastProcessedL1Block: () => reads.chain.state.processed() },
  };
  const shared = {
    connections: new OpenConnections(settings.connections, slot),
    rateLimit: settings.rateLimit,
    sockets: new SocketCounts(settings.sockets, slot),
    cuts: new SocketCuts(settings.socketCuts),
  };
  const registry = publicRegistry(services, settings.reads);
  const poolEvents = receivedPoolEvents();
  const results = resultCache({ store, chain: reads.chain }, settings.cacheBytes);
  const consistency = consistencyOf(results, { store, chain: reads.chain }, settings.minBlockWaitMs);
  const ring = new KeyRing(keys);
  const log = forwardingLogger(control);
  const upstream = {
    upstreams: new UpstreamEndpoints(() => upstreams ?? [], log),
    apiKey: settings.upstreamApiKey,
    log,
  };
  const forwarder = upstreams && new Upstreams({ ...upstream, consistency });
  const upstreamPool = upstreams && new UpstreamPool(upstream);
  let listener: Listener;
  try {
    listener = await startRpcServer(
      adapt(registry),
      {
        listen: { ...server.listen, shared },
        serve: {
          ...server.serve,
          ...(settings.health && { health: remoteHealth(remoteCalls) }),
          keys: settings.keys && keyAccess(ring, settings.keys),
          counts: settings.calls && new CallCounts(settings.calls, wireNames(registry, server.serve.namespaces), slot),
        },
        limits: server.limits,
        cache: { results, consistency },
        forward: { ...server.forward, forwarder, longCalls: new LimitedLongCalls(remoteLongCalls(remoteCalls)) },
        sockets: server.sockets && {
          settings: server.sockets,
          sources: {
            ...services,
            store,
            pool: upstreamPool ?? (settings.poolEvents ? poolEvents : undefined),
            poolStatus: (hash) => (upstreamPool ?? remote.mempool).status(hash),
          },
        },
      },
      log,
    );
  } catch (error) {
    if (!(error instanceof ListenError)) throw error;
    control.postMessage({ kind: "port-taken", code: error.code } satisfies FromThread);
    return;
  }

  const listening = new Int32Array(settings.listening);
  Atomics.add(listening, 0, 1);
  let open = true;
  const closed = (): void => {
    if (!open) return;
    open = false;
    Atomics.sub(listening, 0, 1);
    Atomics.notify(listening, 0);
  };
  const abandon = (): void => {
    listener.abandon();
    closed();
  };
  process.once("exit", abandon);
  control.on("message", async (order: ToThread) => {
    if (order.kind === "pool-change") return poolEvents.received(order.change);
    if (order.kind === "abandon") return abandon();
    if (order.kind === "keys") return ring.replace(order.keys);
    if (order.kind === "upstreams") {
      upstreams = order.urls;
      return;
    }
    await listener.close(order.graceMs);
    closed();
    await store.close();
    process.exit(0);
  });
  const { port, adapter } = listener;
  control.postMessage({ kind: "listening", port, adapter } satisfies FromThread);
}
