import { ContentStore } from "../../archiver/content-store.ts";
import { reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { NETWORK_RELEASE } from "../../network/network-release.ts";
import { localUrl, type NodeRecord } from "../../process/node-record.ts";
import { txGasLimits } from "../../protocol/tx/gas-limits.ts";
import { ABSENT_SERVICES } from "../../rpc/ports/absent-services.ts";
import type { NodeHealth } from "../../rpc/ports/node-health.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { PoolEvents } from "../../rpc/ports/pool-events.ts";
import { type PublicRpcOptions, startPublicRpc } from "../../rpc/public-rpc.ts";
import { versionHeaders } from "../../rpc/routes/version-headers.ts";
import type { RpcServerOptions } from "../../rpc/server/rpc-server.ts";
import type { SocketSettings } from "../../rpc/subscriptions/socket-application.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import { pageFiles } from "../../status/page-files.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { apiKeys } from "../keys/api-keys.ts";
import type { LiveConfig } from "../services/live-config.ts";
import { hasProver } from "../settings/roles.ts";
import type { MempoolPart } from "./mempool.ts";
import type { P2pPart } from "./p2p.ts";
import type { ProverPart } from "./prover.ts";
import type { SentinelPart } from "./sentinel.ts";

export type RpcSettings = PortSettings &
  Pick<
    Values,
    | "rpcHost"
    | "port"
    | "apiPrefix"
    | "rpcNamespaces"
    | "rpcRateLimit"
    | "rpcMaxWaitingSize"
    | "rpcCacheSize"
    | "rpcMinBlockWaitMs"
    | "maxLogs"
    | "rpcRefuseBlocksAhead"
    | "rpcRevertWords"
    | "dataStoreMapSizeKb"
    | "realProofs"
    | "rpcUi"
    | "rpcCorsOrigins"
    | "rpcApiKeysFile"
    | "rpcRequireApiKey"
    | "rpcUpstreamApiKey"
    | "rpcSockets"
    | "rpcSocketsPerClient"
    | "rpcSocketSubscriptions"
    | "rpcSocketFilters"
    | "rpcSocketMessageSize"
    | "rpcSocketUnreadSize"
    | "rpcSocketIdleTimeoutMs"
    | "rpcSocketBlocksBehind"
    | "proverNode"
    | "enableProverNode"
    | "proverBrokerUrl"
  >;

/** Settings common to the public and the admin port. */
export type PortSettings = Pick<
  Values,
  | "rpcMaxBodySize"
  | "rpcMaxBatchSize"
  | "rpcMaxConnections"
  | "rpcMaxConnectionsPerClient"
  | "rpcTrustedProxies"
  | "rpcForwardingHeader"
  | "rpcHttpAdapter"
  | "rpcHttpKeepAliveTimeoutMs"
>;

export function portOptions(values: PortSettings, { reader: { identity } }: { reader: { identity: RollupIdentity } }) {
  return {
    listen: {
      proxies: trustedProxies(values),
      adapter: values.rpcHttpAdapter === "node" ? "node" : "auto",
      keepAliveTimeoutMs: values.rpcHttpKeepAliveTimeoutMs,
    },
    serve: {
      versionHeaders: versionHeaders({
        l1ChainId: identity.l1ChainId,
        l1RollupAddress: identity.addresses.rollupAddress,
        rollupVersion: identity.rollupVersion,
        packageVersion: NETWORK_RELEASE,
      }),
    },
    limits: {
      maxBodyBytes: values.rpcMaxBodySize,
      maxBatchSize: values.rpcMaxBatchSize,
      maxConnections: values.rpcMaxConnections,
      maxConnectionsPerClient: values.rpcMaxConnectionsPerClient,
    },
  } as const;
}

/** undefined where no proxy is trusted. */
function trustedProxies({
  rpcTrustedProxies: networks,
  rpcForwardingHeader: header,
}: PortSettings): RpcServerOptions["listen"]["proxies"] {
  return networks.length === 0 ? undefined : { networks, header };
}

/** What the public port needs of a node, or of a follower. */
export interface RpcContext
  extends Pick<
    ChainContext,
    "store" | "chain" | "publicData" | "threads" | "metrics" | "exportsMetrics" | "loggerFor"
  > {
  readonly reader: { readonly identity: RollupIdentity };
}

export interface PublicParts {
  values: Pick<RpcSettings, "realProofs" | "rpcRevertWords">;
  mempool: MempoolPart;
  /** Undefined where P2P is disabled. */
  p2p: P2pPart | undefined;
  /** Undefined where duties of validators are not recorded. */
  sentinel: SentinelPart | undefined;
  /** Undefined for a node that does not prove. */
  prover?: Pick<ProverPart, "answers" | "jobSource">;
  config: LiveConfig;
  signatures: NodeServices["signatures"];
}

/** Services of the public methods. Methods of parts that this node does not have answer like a node without them. */
export function publicServices(
  { store, chain, world, core, reader }: ChainContext,
  { values: { realProofs, rpcRevertWords }, mempool, p2p, sentinel, prover, config, signatures }: PublicParts,
): NodeServices {
  const { identity, fees, outbox } = reader;
  return {
    ...ABSENT_SERVICES,
    chain,
    content: new ContentStore({ store, chain }),
    world,
    core,
    identity,
    status: {
      ready: () => mempool.ready() && (p2p?.ready() ?? true),
      version: NETWORK_RELEASE,
      revertWords: rpcRevertWords,
      realProofs,
      txGasLimits() {
        const milliseconds = config.live().sequencer.blockDurationMs;
        const blockDuration = milliseconds === undefined ? undefined : milliseconds / 1000;
        return txGasLimits({ ...identity.constants, blockDuration });
      },
    },
    sync: { lastProcessedL1Block: () => chain.state.processed() },
    fees,
    outbox,
    signatures,
    setup: { allowed: () => mempool.contexts.options.setupAllowList },
    ...mempool.services,
    ...(p2p && { p2p: p2p.answers }),
    ...(sentinel && { validatorStats: sentinel.answers }),
    ...(prover && { prover: prover.answers }),
    ...(prover?.jobSource && { jobSource: prover.jobSource }),
  };
}

interface RpcParts {
  values: RpcSettings;
  services: NodeServices;
  health: NodeHealth;
  /** Undefined where there is no pool. */
  poolEvents?: PoolEvents;
  /** Where a follower forwards live calls to. */
  upstreams?: PublicRpcOptions["upstreams"];
  onFatal: PublicRpcOptions["onFatal"];
}

function socketSettings(values: RpcSettings): SocketSettings | undefined {
  if (!values.rpcSockets) return undefined;
  return {
    maxPerClient: values.rpcSocketsPerClient,
    maxSubscriptions: values.rpcSocketSubscriptions,
    maxFilters: values.rpcSocketFilters,
    maxMessageBytes: values.rpcSocketMessageSize,
    maxBuffered: values.rpcSocketUnreadSize,
    idleTimeoutMs: values.rpcSocketIdleTimeoutMs,
    maxBehind: values.rpcSocketBlocksBehind,
  };
}

const JOB_SOURCE = "provingJobSource";

function namespacesOf(values: RpcSettings) {
  const proves = hasProver(values);
  // A broker elsewhere has jobs for agents itself.
  const hasJobs = proves && values.proverBrokerUrl === undefined;
  const served = values.rpcNamespaces.filter((namespace) => namespace !== JOB_SOURCE || hasJobs);
  return proves ? [...served, "prover" as const] : served;
}

/** For processes that read the store of a node whose public port is open. */
export function nodeRecord(values: RpcSettings, { identity }: { identity: RollupIdentity }, port: number): NodeRecord {
  return {
    rpcUrl: localUrl(values, port),
    // Readers of the store have no jobs.
    namespaces: namespacesOf(values).filter((namespace) => namespace !== JOB_SOURCE),
    mapSizeKb: values.dataStoreMapSizeKb,
    realProofs: values.realProofs,
    identity,
  };
}

/** How a public port is served. Throws an ApiKeysError. */
export function publicPort(
  values: RpcSettings,
  context: { reader: { identity: RollupIdentity } },
): Pick<PublicRpcOptions, "cacheBytes" | "minBlockWaitMs" | "keys" | "upstreamApiKey" | "server"> {
  const port = portOptions(values, context);
  return {
    cacheBytes: values.rpcCacheSize,
    minBlockWaitMs: values.rpcMinBlockWaitMs,
    keys: apiKeys(values),
    upstreamApiKey: reveal(values.rpcUpstreamApiKey),
    server: {
      listen: { ...port.listen, host: values.rpcHost, port: values.port, prefix: values.apiPrefix },
      serve: {
        ...port.serve,
        namespaces: namespacesOf(values),
        cors: values.rpcCorsOrigins,
        getReads: true,
        page: values.rpcUi
          ? pageFiles({ rpc: "../", admin: false, key: false, batch: values.rpcMaxBatchSize })
          : undefined,
      },
      limits: { ...port.limits, rateLimit: values.rpcRateLimit, maxWaitingBytes: values.rpcMaxWaitingSize },
      forward: { refusesBlocksAhead: values.rpcRefuseBlocksAhead },
      sockets: socketSettings(values),
    },
  };
}

/** Opens the public JSON-RPC port. Rejects with a ListenError. */
export async function startRpc(
  context: RpcContext,
  { values, services, health, poolEvents, upstreams, onFatal }: RpcParts,
): Promise<Listener> {
  const { store, chain, reader, publicData, threads, metrics, exportsMetrics, loggerFor } = context;
  const listener = await startPublicRpc({
    threads,
    services,
    health,
    poolEvents,
    upstreams,
    store,
    chain,
    reads: { mapSizeKb: values.dataStoreMapSizeKb, identity: reader.identity, publicData, maxLogs: values.maxLogs },
    ...publicPort(values, context),
    // Calls are not counted where nobody reads the counts.
    metrics: exportsMetrics ? metrics : undefined,
    log: loggerFor("rpc"),
    onFatal,
  });
  const facts = { host: values.rpcHost, port: listener.port, adapter: listener.adapter };
  loggerFor("node").info(facts, "answering JSON-RPC on {host}:{port}");
  return listener;
}
