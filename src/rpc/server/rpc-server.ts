import type { Logger } from "../../telemetry/logger.ts";
import { UnknownStateError } from "../../world-state/errors.ts";
import type { ResultCache } from "../cache/result-cache.ts";
import type { CallCounts } from "../calls/call-counts.ts";
import type { Consistency } from "../calls/consistency.ts";
import { Dispatcher, type DispatcherOptions } from "../calls/dispatcher.ts";
import type { Forwarder } from "../calls/forwarder.ts";
import type { LongCalls } from "../calls/long-calls.ts";
import type { Header } from "../jsonrpc/answer.ts";
import { type KeyAccess, keyedApplication } from "../keys/keyed-application.ts";
import { keyedSockets } from "../keys/keyed-sockets.ts";
import { AnswerBudget } from "../limits/answer-budget.ts";
import type { OpenConnections } from "../limits/open-connections.ts";
import { type CallLimit, RateLimit } from "../limits/rate-limit.ts";
import type { SocketCounts } from "../limits/socket-counts.ts";
import type { NodeHealth } from "../ports/node-health.ts";
import type { Namespace, Registry } from "../registry/registry.ts";
import { OriginList } from "../routes/cors.ts";
import { GetReads } from "../routes/get-reads.ts";
import { PageRoute, PageRpcRoute, type StaticFile } from "../routes/page-route.ts";
import { PathPrefix, rootPaths } from "../routes/path-prefix.ts";
import { RpcApplication } from "../routes/rpc-application.ts";
import { originGate, type SocketGate } from "../subscriptions/socket-access.ts";
import { SocketApplication, type SocketSettings } from "../subscriptions/socket-application.ts";
import type { SocketCuts } from "../subscriptions/socket-cuts.ts";
import { type HubSources, SubscriptionHub } from "../subscriptions/subscription-hub.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../wire/listener.ts";
import { TrustedProxies, type TrustedProxySettings } from "../wire/trusted-proxies.ts";
import { listen } from "./listen.ts";

export interface RpcServerOptions {
  /** Address to bind; all interfaces when absent. */
  host?: string;
  /** 0 takes a free port. */
  port: number;
  namespaces: readonly Namespace[];
  /** In front of the path of every request; others are not found. Begins with a slash and ends with none. Default "". */
  prefix?: string;
  /** See ListenerOptions. */
  adapter?: ListenerOptions["adapter"];
  /** See ListenerOptions. */
  keepAliveTimeoutMs?: number;
  /** Most bytes of a decompressed request body. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Most requests of a batch. Default 100. */
  maxBatchSize?: number;
  /** Most open connections, 0 for unlimited. Default 4096. */
  maxConnections?: number;
  /** Most open connections per client address, 0 for unlimited. Default 512. */
  maxConnectionsPerClient?: number;
  /** Proxies whose word counts on which client a request is from; none by default. */
  proxies?: TrustedProxySettings;
  /** Most calls per second per client address, 0 (the default) for unlimited. See RateLimit. */
  rateLimit?: number;
  /** Time within which a request must arrive. Default 30 s. */
  requestTimeoutMs?: number;
  /** Longest time without progress while a client reads its answer. Default 30 s. */
  stallTimeoutMs?: number;
  /** See versionHeaders. */
  versionHeaders?: readonly Header[];
  /** Whether pages of other origins may read answers: all (the default), none, or those of a list of origins. */
  cors?: boolean | readonly string[];
  /** Whether GET serves reads by hash; see GetReads. Default false. */
  getReads?: boolean;
  /** Whose calls have limits of their own; see KeyRoute. */
  keys?: KeyAccess;
  /** Whether GET /status answers OK. Default: always, once listening. */
  healthy?: () => boolean | Promise<boolean>;
  /** Serves /live, /ready and /status?format=json; without it they are not found. */
  health?: NodeHealth;
  /** Wraps the application and decides which requests reach it. */
  guard?: (application: HttpApplication) => HttpApplication;
  /** Error types whose message is sent to the client, in addition to those of every listener. */
  expectedErrors?: DispatcherOptions["expectedErrors"];
  /** Caches the texts of results. */
  results?: ResultCache;
  /** Answers calls that would block others. */
  longCalls?: LongCalls;
  /** Counts the calls of each method. */
  counts?: CallCounts;
  /** See RpcApplicationOptions. */
  consistency?: Consistency;
  /** See CallsOptions. */
  forwarder?: Forwarder;
  /** See AnswerWriterOptions. */
  refusesBlocksAhead?: boolean;
  /** Most bytes of answers that wait for clients to read them. Default 64 MiB. */
  maxWaitingBytes?: number;
  /** Files of a page that is served below /ui/, without the guard. */
  page?: readonly StaticFile[];
  /** Methods for the page beside those of the port, at PAGE_RPC behind the guard. */
  pageRpc?: { registry: Registry; namespaces: readonly Namespace[] };
  /** Set when several threads of this process listen on one port: limits then apply across all of them. */
  shared?: SharedPort;
  /** Serves WebSockets with subscriptions at "/"; none without. */
  sockets?: SocketSettings;
  /** Counts the sockets that are cut off, when the port is not `shared`. */
  socketCuts?: SocketCuts;
  /** What subscriptions read; needed for `sockets`. */
  subscriptions?: HubSources;
}

/** One thread's share of a port that several threads listen on. */
export interface SharedPort {
  connections: OpenConnections;
  /** From RateLimit.memory. */
  rateLimit: SharedArrayBuffer;
  sockets: SocketCounts;
  cuts: SocketCuts;
}

export const RPC_DEFAULTS = {
  maxBodyBytes: 1024 * 1024,
  maxBatchSize: 100,
  maxConnections: 4096,
  maxConnectionsPerClient: 512,
  rateLimit: 0,
  requestTimeoutMs: 30_000,
  stallTimeoutMs: 30_000,
  maxWaitingBytes: 64 * 1024 * 1024,
  minBlockWaitMs: 1_000,
} as const;

/** Part of `maxWaitingBytes` that messages of WebSocket clients may take before they are complete, beside answers. */
const UNFINISHED_PART = 1 / 4;

/** Starts one listener for a registry of methods. Rejects with a ListenError. Close it with `listener.close()`. */
export function startRpcServer(registry: Registry, options: RpcServerOptions, log: Logger): Promise<Listener> {
  const perSecond = options.rateLimit ?? RPC_DEFAULTS.rateLimit;
  const { prefix = "", cors = true, maxWaitingBytes = RPC_DEFAULTS.maxWaitingBytes } = options;
  const settings = {
    ...options,
    cors: cors === true,
    maxBodyBytes: options.maxBodyBytes ?? RPC_DEFAULTS.maxBodyBytes,
    maxBatchSize: options.maxBatchSize ?? RPC_DEFAULTS.maxBatchSize,
    maxConnections: options.maxConnections ?? RPC_DEFAULTS.maxConnections,
    maxConnectionsPerClient: options.maxConnectionsPerClient ?? RPC_DEFAULTS.maxConnectionsPerClient,
    requestTimeoutMs: options.requestTimeoutMs ?? RPC_DEFAULTS.requestTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs ?? RPC_DEFAULTS.stallTimeoutMs,
    versionHeaders: options.versionHeaders ?? [],
    healthy: options.healthy ?? (() => true),
    rateLimit: perSecond > 0 ? new RateLimit({ perSecond, memory: options.shared?.rateLimit }) : undefined,
    proxies: options.proxies && new TrustedProxies(options.proxies),
    connections: options.shared?.connections,
    shared: options.shared !== undefined,
    budget: new AnswerBudget(maxWaitingBytes),
  };
  const expectedErrors = [UnknownStateError, ...(options.expectedErrors ?? [])];
  const applicationOf = (methods: Registry, limits: { rateLimit?: CallLimit; readsAllBodies?: boolean } = {}) => {
    const own = { ...settings, ...limits, expectedErrors };
    const rpc = new RpcApplication(new Dispatcher(methods, own, log), own, log);
    return options.getReads ? new GetReads(rpc, { ...own, registry: methods }, log) : rpc;
  };
  let application: HttpApplication = applicationOf(registry);
  if (options.keys !== undefined)
    application = keyedApplication(application, { ...options.keys, anyOrigin: settings.cors, registry, applicationOf });
  if (options.pageRpc !== undefined) {
    const { registry: methods, namespaces } = options.pageRpc;
    const calls = new Dispatcher(methods, { ...settings, namespaces, expectedErrors }, log);
    application = new PageRpcRoute(application, new RpcApplication(calls, settings, log));
  }
  const { budget, stallTimeoutMs } = settings;
  const { sockets, subscriptions, keys } = options;
  const accessOf = (methods: Registry, limits: { rateLimit?: CallLimit; readsAllBodies?: boolean } = {}) => {
    const own = { ...settings, ...limits, expectedErrors };
    return { dispatcher: new Dispatcher(methods, own, log), rateLimit: own.rateLimit };
  };
  const socketGate = (): SocketGate => {
    const ordinary = accessOf(registry);
    const gate = keys === undefined ? () => () => ordinary : keyedSockets(ordinary, { ...keys, registry, accessOf });
    return typeof cors === "object" ? originGate(gate, cors) : gate;
  };
  const webSocket =
    sockets &&
    subscriptions &&
    new SocketApplication(
      new SubscriptionHub(subscriptions, { mostBehind: sockets.maxBehind }),
      {
        paths: rootPaths(prefix),
        settings: sockets,
        gate: socketGate(),
        budget,
        unfinished: new AnswerBudget(maxWaitingBytes * UNFINISHED_PART),
        stallTimeoutMs,
        messageTimeoutMs: settings.requestTimeoutMs,
        counts: options.shared?.sockets,
        cuts: options.shared?.cuts ?? options.socketCuts,
      },
      log,
    );
  application = options.guard?.(application) ?? application;
  if (options.page !== undefined) application = new PageRoute(application, options.page);
  if (typeof cors === "object") application = new OriginList(application, cors);
  if (prefix !== "") application = new PathPrefix(application, prefix);
  return listen(application, { ...settings, webSocket }, log);
}
