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
import { type CallLimit, ClientLimit } from "../limits/client-limit.ts";
import type { OpenConnections } from "../limits/open-connections.ts";
import type { SocketCounts } from "../limits/socket-counts.ts";
import type { NodeHealth } from "../ports/node-health.ts";
import type { Namespace, Registry } from "../registry/registry.ts";
import { OriginList } from "../routes/cors.ts";
import { GetReads } from "../routes/get-reads.ts";
import { PageElsewhere, PageRoute, PageRpcRoute, type StaticFile } from "../routes/page-route.ts";
import { PathPrefix, rootPaths } from "../routes/path-prefix.ts";
import { RpcApplication } from "../routes/rpc-application.ts";
import { originGate, type SocketGate } from "../subscriptions/socket-access.ts";
import { SocketApplication, type SocketSettings } from "../subscriptions/socket-application.ts";
import type { SocketCuts } from "../subscriptions/socket-cuts.ts";
import { type HubSources, SubscriptionHub } from "../subscriptions/subscription-hub.ts";
import type { HttpApplication, Listener, ListenerOptions } from "../wire/listener.ts";
import { TrustedProxies, type TrustedProxySettings } from "../wire/trusted-proxies.ts";
import { listen } from "./listen.ts";

/** Where a port listens. */
export interface ListenGroup extends Pick<ListenerOptions, "host" | "port" | "adapter" | "keepAliveTimeoutMs"> {
  /**
   * In front of the path of every request; others are not found. Begins with a slash and ends with none. Default "".
   */
  prefix?: string;
  /** Proxies whose forwarding header is trusted; none by default. */
  proxies?: TrustedProxySettings;
  /** Set when several threads of this process listen on one port: limits then apply across all of them. */
  shared?: SharedPort;
}

/** What it serves, and to whom. */
export interface ServeGroup {
  namespaces: readonly Namespace[];
  /** See versionHeaders. */
  versionHeaders?: readonly Header[];
  /** Whether pages of other origins may read answers: all (the default), none, or those of a list of origins. */
  cors?: boolean | readonly string[];
  /** Whether GET serves reads by hash; see GetReads. Default false. */
  getReads?: boolean;
  /** Files of a page that is served below /ui/, without the guard. */
  page?: readonly StaticFile[];
  /** Where the page is, for whoever asks this port for it. */
  pageElsewhere?: string;
  /** Methods for the page beside those of the port, at PAGE_RPC behind the guard. */
  pageRpc?: { registry: Registry; namespaces: readonly Namespace[] };
  /** Whose calls have limits of their own; see KeyRoute. */
  keys?: KeyAccess;
  /** Wraps the application and decides which requests reach it. */
  guard?: (application: HttpApplication) => HttpApplication;
  /** Whether GET /status answers OK. Default: always, once listening. */
  healthy?: () => boolean | Promise<boolean>;
  /** Serves /live, /ready and /status?format=json; without it they are not found. */
  health?: NodeHealth;
  /** Error types whose message is sent to the client, in addition to those of every listener. */
  expectedErrors?: DispatcherOptions["expectedErrors"];
  /** Counts the calls of each method. */
  counts?: CallCounts;
  /** See DispatcherOptions; for measurements (bench/fast-paths.ts). */
  scans?: boolean;
}

/** What clients may take. */
export interface LimitsGroup {
  /** Most bytes of a decompressed request body. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Most requests of a batch. Default 100. */
  maxBatchSize?: number;
  /** Most open connections, 0 for unlimited. Default 4096. */
  maxConnections?: number;
  /** Most open connections per client address, 0 for unlimited. Default 512. */
  maxConnectionsPerClient?: number;
  /** Most calls per second per client address, 0 (the default) for unlimited. See ClientLimit. */
  rateLimit?: number;
  /** Time within which a request must arrive. Default 30 s. */
  requestTimeoutMs?: number;
  /** Longest time without progress while a client reads its answer. Default 30 s. */
  stallTimeoutMs?: number;
  /** Most bytes of answers that wait for clients to read them. Default 64 MiB. */
  maxWaitingBytes?: number;
}

/** What is kept between calls. */
export interface CacheGroup {
  /** Caches the texts of results. */
  results?: ResultCache;
  /** See RpcApplicationOptions. */
  consistency?: Consistency;
}

/** Who answers what this thread does not. */
export interface ForwardGroup {
  /** Answers calls that would block others. */
  longCalls?: LongCalls;
  /** See CallsOptions. */
  forwarder?: Forwarder;
  /** See AnswerWriterOptions. */
  refusesBlocksAhead?: boolean;
}

/** WebSockets with subscriptions at "/". */
export interface SocketsGroup {
  settings: SocketSettings;
  /** What subscriptions read. */
  sources: HubSources;
  /** Counts the sockets that are cut off, when the port is not `shared`. */
  cuts?: SocketCuts;
}

export interface RpcServerOptions {
  listen: ListenGroup;
  serve: ServeGroup;
  limits?: LimitsGroup;
  cache?: CacheGroup;
  forward?: ForwardGroup;
  /** No sockets are served without. */
  sockets?: SocketsGroup;
}

/** The part of these options that is plain data, which crosses threads. */
export interface PortSettings {
  listen: Omit<ListenGroup, "shared">;
  serve: Pick<ServeGroup, "namespaces" | "versionHeaders" | "cors" | "getReads" | "page" | "pageElsewhere">;
  limits?: LimitsGroup;
  forward?: Pick<ForwardGroup, "refusesBlocksAhead">;
  sockets?: SocketSettings;
}

/** One thread's share of a port that several threads listen on. */
export interface SharedPort {
  connections: OpenConnections;
  /** From SharedBuckets.memory. */
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
  const { listen: at, serve, cache, forward, sockets } = options;
  const { rateLimit: perSecond, maxWaitingBytes, ...limits } = withDefaults(options.limits);
  const { prefix = "", shared } = at;
  const { cors = true, keys, versionHeaders = [], healthy = () => true, health } = serve;
  const rateLimit = perSecond > 0 ? new ClientLimit({ perSecond, memory: shared?.rateLimit }) : undefined;
  const budget = new AnswerBudget(maxWaitingBytes);
  const expectedErrors = [UnknownStateError, ...(serve.expectedErrors ?? [])];
  const { namespaces, counts, scans } = serve;
  const { maxBatchSize, maxBodyBytes } = limits;
  const ofCalls = { namespaces, counts, scans, expectedErrors, maxBatchSize, budget, ...cache, ...forward };
  const anyOrigin = cors === true;
  const ofRequests = { maxBodyBytes, versionHeaders, cors: anyOrigin, healthy, health, budget, ...cache };

  /** One set of methods under one set of limits: those of the port, or of an API key. */
  const accessOf = (methods: Registry, own: OwnLimits = { rateLimit }) => ({
    dispatcher: new Dispatcher(methods, { ...ofCalls, ...own }, log),
    rateLimit: own.rateLimit,
  });
  const applicationOf = (methods: Registry, own: OwnLimits = { rateLimit }): HttpApplication => {
    const rpc = new RpcApplication(accessOf(methods, own).dispatcher, { ...ofRequests, ...own }, log);
    if (!serve.getReads) return rpc;
    return new GetReads(rpc, { ...ofCalls, ...own, cors: anyOrigin, registry: methods }, log);
  };
  let application = applicationOf(registry);
  if (keys !== undefined) application = keyedApplication(application, { ...keys, anyOrigin, registry, applicationOf });
  if (serve.pageRpc !== undefined) {
    const { registry: methods, namespaces: ofPage } = serve.pageRpc;
    const calls = new Dispatcher(methods, { ...ofCalls, namespaces: ofPage }, log);
    application = new PageRpcRoute(application, new RpcApplication(calls, { ...ofRequests, rateLimit }, log));
  }
  const socketGate = (): SocketGate => {
    const ordinary = accessOf(registry);
    const gate = keys === undefined ? () => () => ordinary : keyedSockets(ordinary, { ...keys, registry, accessOf });
    return typeof cors === "object" ? originGate(gate, cors) : gate;
  };
  const webSocket =
    sockets &&
    new SocketApplication(
      new SubscriptionHub(sockets.sources, { maxBehind: sockets.settings.maxBehind }),
      {
        paths: rootPaths(prefix),
        settings: sockets.settings,
        gate: socketGate(),
        budget,
        unfinished: new AnswerBudget(maxWaitingBytes * UNFINISHED_PART),
        stallTimeoutMs: limits.stallTimeoutMs,
        messageTimeoutMs: limits.requestTimeoutMs,
        counts: shared?.sockets,
        cuts: shared?.cuts ?? sockets.cuts,
      },
      log,
    );
  application = serve.guard?.(application) ?? application;
  if (serve.page !== undefined) application = new PageRoute(application, serve.page);
  else if (serve.pageElsewhere !== undefined) application = new PageElsewhere(application, serve.pageElsewhere);
  if (typeof cors === "object") application = new OriginList(application, cors);
  if (prefix !== "") application = new PathPrefix(application, prefix);
  const { host, port, adapter, keepAliveTimeoutMs } = at;
  const { requestTimeoutMs, stallTimeoutMs, maxConnections, maxConnectionsPerClient } = limits;
  return listen(
    application,
    {
      ...{ host, port, adapter, keepAliveTimeoutMs, shared: shared !== undefined, webSocket, budget },
      ...{ requestTimeoutMs, stallTimeoutMs, maxConnections, maxConnectionsPerClient },
      proxies: at.proxies && new TrustedProxies(at.proxies),
      connections: shared?.connections,
    },
    log,
  );
}

/** Limits of an API key. */
interface OwnLimits {
  rateLimit?: CallLimit;
  readsAllBodies?: boolean;
}

function withDefaults(limits: LimitsGroup = {}): Required<LimitsGroup> {
  const given = Object.entries(limits).filter(([, value]) => value !== undefined);
  const { minBlockWaitMs: _, ...defaults } = RPC_DEFAULTS;
  return { ...defaults, ...Object.fromEntries(given) };
}
