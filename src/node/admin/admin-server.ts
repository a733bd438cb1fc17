import { OperatorError } from "../../errors/operator-error.ts";
import type { ApiRules } from "../../protocol/generations/api.ts";
import { adminRegistry } from "../../rpc/admin/admin-registry.ts";
import { ApiKeyGate } from "../../rpc/admin/api-key-gate.ts";
import { OriginGate } from "../../rpc/admin/origin-gate.ts";
import type { AdminServices } from "../../rpc/admin/ports/admin-services.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import { Registry } from "../../rpc/registry/registry.ts";
import { publicRegistry } from "../../rpc/server/public-registry.ts";
import { RPC_DEFAULTS, type RpcServerOptions, startRpcServer } from "../../rpc/server/rpc-server.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import { pageFiles } from "../../status/page-files.ts";
import type { Logger } from "../../telemetry/logger.ts";
import { type AdminKeyOptions, adminKeyBanner, resolveAdminKey } from "./api-key.ts";

const NAMESPACES = ["nodeAdmin", "svcAdmin", "aztecAdmin"] as const;
const OF_LOCAL_NETWORKS = ["nodeDebug", "evm", "anvil"] as const;

interface AdminServerOptions extends Pick<RpcServerOptions, "listen" | "limits" | "forward"> {
  serve: Pick<RpcServerOptions["serve"], "versionHeaders">;
  key: AdminKeyOptions;
  api: ApiRules;
  /** Prints the banner with a new key; to standard output by default. */
  show?: (banner: string) => void;
  /** What the page at /ui reads beside the admin methods; without it no page is served. */
  reads?: NodeServices;
}

/**
 * Starts the admin port with both admin namespaces, protected by one API key. Without a key, requests from web pages
 * are refused. A new key is printed only once the port listens, so a start that fails on a busy port prints none.
 * Rejects with a ListenError, AdminKeyHashError or AdminKeyFileError.
 */
export async function startAdminServer(
  services: AdminServices,
  {
    key: keyOptions,
    api,
    reads,
    serve,
    show = (banner) => void process.stdout.write(banner),
    ...server
  }: AdminServerOptions,
  log: Logger,
): Promise<Listener> {
  const { hash, generated, keep } = resolveAdminKey(keyOptions);
  const registry = adminRegistry(services, api);
  const { maxBatchSize = RPC_DEFAULTS.maxBatchSize } = server.limits ?? {};
  const listener = await startRpcServer(
    registry,
    {
      ...server,
      serve: {
        ...serve,
        ...(reads && {
          page: pageFiles({
            rpc: "rpc",
            admin: true,
            local: services.localNetwork !== undefined,
            key: hash !== undefined,
            batch: maxBatchSize,
          }),
          pageRpc: {
            registry: new Registry([...publicRegistry(reads).methods, ...registry.methods], registry.spellings),
            namespaces: ["svc", "svcAdmin"],
          },
        }),
        namespaces: services.localNetwork === undefined ? NAMESPACES : [...NAMESPACES, ...OF_LOCAL_NETWORKS],
        expectedErrors: [OperatorError],
        cors: false,
        guard: (application) => (hash === undefined ? new OriginGate(application) : new ApiKeyGate(application, hash)),
      },
    },
    log,
  );
  try {
    if (generated !== undefined) show(adminKeyBanner(generated, keyOptions.dataDirectory !== undefined));
    keep();
  } catch (error) {
    await listener.close(0);
    throw error;
  }
  return listener;
}
