import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { localUrl, type NodeRecord } from "../../process/node-record.ts";
import { generationNamed } from "../../protocol/generations/known/choose.ts";
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
import { hasProver } from "../settings/roles.ts";

export function portOptions(values: PartValues, { reader: { identity } }: { reader: { identity: RollupIdentity } }) {
  return {
    listen: {
      proxies: trustedProxies(values.rpc.limits.proxies),
      adapter: values.rpc.listen.adapter === "node" ? "node" : "auto",
      keepAliveTimeoutMs: values.rpc.listen.keepAliveTimeoutMs,
    },
    serve: {
      versionHeaders: versionHeaders({
        l1ChainId: identity.l1ChainId,
        l1RollupAddress: identity.addresses.rollupAddress,
        rollupVersion: identity.rollupVersion,
        generation: generationNamed(identity.generation),
      }),
    },
    limits: {
      maxBodyBytes: values.rpc.limits.maxBodyBytes,
      maxBatchSize: values.rpc.limits.maxBatchSize,
      maxConnections: values.rpc.limits.maxConnections,
      maxConnectionsPerClient: values.rpc.limits.maxConnectionsPerClient,
    },
  } as const;
}

/** undefined where no proxy is trusted. */
function trustedProxies({
  networks,
  header,
}: PartValues["rpc"]["limits"]["proxies"]): RpcServerOptions["listen"]["proxies"] {
  return networks.length === 0 ? undefined : { networks, header };
}

/** What the public port needs of a node, or of a follower. */
export interface RpcContext
  extends Pick<ChainContext, "store" | "chain" | "publicData" | "threads" | "metrics" | "loggerFor"> {
  readonly reader: { readonly identity: RollupIdentity };
}

interface RpcParts {
  values: PartValues;
  services: NodeServices;
  health: NodeHealth;
  /** Undefined where there is no pool. */
  poolEvents?: PoolEvents;
  /** Where a follower forwards live calls to. */
  upstreams?: PublicRpcOptions["upstreams"];
  onFatal: PublicRpcOptions["onFatal"];
}

function socketSettings({ enabled, ...settings }: PartValues["rpc"]["sockets"]): SocketSettings | undefined {
  return enabled ? settings : undefined;
}

const JOB_SOURCE = "provingJobSource";

function namespacesOf(values: PartValues) {
  const proves = hasProver(values.modes);
  // A broker elsewhere has jobs for agents itself.
  const hasJobs = proves && values.broker.url === undefined;
  const served = values.rpc.listen.namespaces.filter((namespace) => namespace !== JOB_SOURCE || hasJobs);
  return proves ? [...served, "prover" as const] : served;
}

/** For processes that read the store of a node whose public port is open. */
export function nodeRecord(values: PartValues, { identity }: { identity: RollupIdentity }, port: number): NodeRecord {
  return {
    rpcUrl: localUrl(values.rpc.listen, port),
    // Readers of the store have no jobs.
    namespaces: namespacesOf(values).filter((namespace) => namespace !== JOB_SOURCE),
    mapSizeKb: values.storage.mapSizeKb,
    realProofs: values.proofs.real,
    identity,
  };
}

/** How a public port is served. Throws an ApiKeysError. */
export function publicPort(
  values: PartValues,
  context: { reader: { identity: RollupIdentity } },
): Pick<PublicRpcOptions, "cacheBytes" | "minBlockWaitMs" | "keys" | "upstreamApiKey" | "server"> {
  const port = portOptions(values, context);
  return {
    cacheBytes: values.rpc.cache.bytes,
    minBlockWaitMs: values.rpc.answers.minBlockWaitMs,
    keys: apiKeys(values.rpc.keys),
    upstreamApiKey: reveal(values.rpc.forward.apiKey),
    server: {
      listen: {
        ...port.listen,
        host: values.rpc.listen.host,
        port: values.rpc.listen.port,
        prefix: values.rpc.listen.prefix,
      },
      serve: {
        ...port.serve,
        namespaces: namespacesOf(values),
        cors: values.rpc.listen.cors,
        getReads: true,
        page: values.rpc.listen.page
          ? pageFiles({ rpc: "../", admin: false, key: false, batch: values.rpc.limits.maxBatchSize })
          : undefined,
        pageElsewhere: "the admin port has the page, and --rpc-ui serves it here",
      },
      limits: {
        ...port.limits,
        rateLimit: values.rpc.limits.rateLimit,
        maxWaitingBytes: values.rpc.limits.maxWaitingBytes,
      },
      forward: { refusesBlocksAhead: values.rpc.answers.refusesBlocksAhead },
      sockets: socketSettings(values.rpc.sockets),
    },
  };
}

/** Opens the public JSON-RPC port. Rejects with a ListenError. */
export async function startRpc(
  context: RpcContext,
  { values, services, health, poolEvents, upstreams, onFatal }: RpcParts,
): Promise<Listener> {
  const { store, chain, reader, publicData, threads, metrics, loggerFor } = context;
  const listener = await startPublicRpc({
    threads,
    services,
    health,
    poolEvents,
    upstreams,
    store,
    chain,
    reads: {
      mapSizeKb: values.storage.mapSizeKb,
      identity: reader.identity,
      publicData,
      maxLogs: values.rpc.limits.maxLogs,
    },
    ...publicPort(values, context),
    metrics,
    log: loggerFor("rpc"),
    onFatal,
  });
  const facts = { host: values.rpc.listen.host, port: listener.port, adapter: listener.adapter };
  loggerFor("node").info(facts, "answering JSON-RPC on {host}:{port}");
  return listener;
}
