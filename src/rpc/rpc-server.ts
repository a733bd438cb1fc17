import type { Logger } from "../telemetry/logger.ts";
import { UnknownStateError } from "../world-state/errors.ts";
import type { ResultCache } from "./cache/result-cache.ts";
import { AnswerBudget } from "./http/answer-budget.ts";
import { listen } from "./http/listen.ts";
import type { Header, HttpApplication, Listener } from "./http/listener.ts";
import type { OpenConnections } from "./http/open-connections.ts";
import { RateLimit } from "./http/rate-limit.ts";
import { RpcApplication } from "./http/rpc-application.ts";
import { Dispatcher, type DispatcherOptions } from "./jsonrpc/dispatcher.ts";
import type { LongCalls } from "./jsonrpc/long-calls.ts";
import type { Namespace, Registry } from "./registry.ts";

export interface RpcServerOptions {
  /** Address to bind; all interfaces when absent. */
  host?: string;
  /** 0 takes a free port. */
  port: number;
  namespaces: readonly Namespace[];
  /** Most bytes of a request body, decompressed. Default 1 MiB. */
  maxBodyBytes?: number;
  /** Most requests of a batch. Default 100. */
  maxBatchSize?: number;
  /** Most connections at once, 0 for any number. Default 4096. */
  maxConnections?: number;
  /** Most connections of one client address at once, 0 for any number. Default 512. */
  maxConnectionsPerClient?: number;
  /** Most calls per second of one client address, 0 (the default) for any number. See RateLimit. */
  rateLimit?: number;
  /** Time for a request to arrive. Default 30 s. */
  requestTimeoutMs?: number;
  /** Time without progress while a client takes its answer. Default 30 s. */
  stallTimeoutMs?: number;
  /** See versionHeaders. */
  versionHeaders?: readonly Header[];
  /** Whether pages of other origins may read answers. Default true. */
  cors?: boolean;
  /** Whether GET /status says OK. Default: always, once listening. */
  healthy?: () => boolean | Promise<boolean>;
  /** Stands before the application and decides what reaches it. */
  guard?: (application: HttpApplication) => HttpApplication;
  /** Error types whose message is an answer, beside those of every listener. */
  expectedErrors?: DispatcherOptions["expectedErrors"];
  /** Keeps the texts of results. */
  results?: ResultCache;
  /** Takes the calls that would hold up others. */
  longCalls?: LongCalls;
  /** Most bytes of answers that wait for clients to take them. Default 64 MiB. */
  maxWaitingBytes?: number;
  /** Set when threads of this process listen on the port together: their limits hold over all of them. */
  shared?: SharedPort;
}

/** One thread's part in a port that several listen on. */
export interface SharedPort {
  connections: OpenConnections;
  /** From RateLimit.memory. */
  rateLimit: SharedArrayBuffer;
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
} as const;

/** Starts one listener over a registry of methods. Rejects with a ListenError. Close with `listener.close()`. */
export function startRpcServer(registry: Registry, options: RpcServerOptions, log: Logger): Promise<Listener> {
  const perSecond = options.rateLimit ?? RPC_DEFAULTS.rateLimit;
  const settings = {
    ...options,
    maxBodyBytes: options.maxBodyBytes ?? RPC_DEFAULTS.maxBodyBytes,
    maxBatchSize: options.maxBatchSize ?? RPC_DEFAULTS.maxBatchSize,
    maxConnections: options.maxConnections ?? RPC_DEFAULTS.maxConnections,
    maxConnectionsPerClient: options.maxConnectionsPerClient ?? RPC_DEFAULTS.maxConnectionsPerClient,
    requestTimeoutMs: options.requestTimeoutMs ?? RPC_DEFAULTS.requestTimeoutMs,
    stallTimeoutMs: options.stallTimeoutMs ?? RPC_DEFAULTS.stallTimeoutMs,
    versionHeaders: options.versionHeaders ?? [],
    healthy: options.healthy ?? (() => true),
    rateLimit: perSecond > 0 ? new RateLimit({ perSecond, memory: options.shared?.rateLimit }) : undefined,
    connections: options.shared?.connections,
    shared: options.shared !== undefined,
    budget: new AnswerBudget(options.maxWaitingBytes ?? RPC_DEFAULTS.maxWaitingBytes),
  };
  const expectedErrors = [UnknownStateError, ...(options.expectedErrors ?? [])];
  const dispatcher = new Dispatcher(registry, { ...settings, expectedErrors }, log);
  const application = new RpcApplication(dispatcher, settings, log);
  return listen(options.guard?.(application) ?? application, settings, log);
}
