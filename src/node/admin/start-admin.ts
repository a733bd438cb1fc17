import type { ChainStore } from "../../archiver/chain-store.ts";
import type { Synchronizer } from "../../archiver/synchronizer.ts";
import { reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { AdminServices } from "../../rpc/admin/services.ts";
import type { Listener } from "../../rpc/http/listener.ts";
import type { RpcServerOptions } from "../../rpc/rpc-server.ts";
import type { DataDirectory } from "../data-directory.ts";
import type { LoggerFor } from "../logging.ts";
import { startAdminServer } from "./admin-server.ts";
import { keystoreControl } from "./keystore-control.ts";
import type { LiveConfig } from "./live-config.ts";
import { syncControl } from "./sync-control.ts";

/** What a node has for its operator. Undefined: not part of this node. */
export interface AdminOptions extends Pick<AdminServices, "snapshots" | "sequencer" | "slasher"> {
  values: Values;
  directory: Pick<DataDirectory, "path" | "temporary">;
  synchronizer: Synchronizer;
  config: LiveConfig;
  chain: ChainStore;
  pool: TxPool;
  keys: ActiveKeystore | undefined;
  /** As on the public port. */
  server: Pick<RpcServerOptions, "maxBodyBytes" | "maxBatchSize" | "maxConnections" | "versionHeaders">;
  /** Further error types whose message is an answer. */
  loggerFor: LoggerFor;
}

/** Opens the admin port of a node. Rejects with a ListenError, AdminKeyHashError or AdminKeyFileError. */
export async function startAdmin(options: AdminOptions): Promise<Listener> {
  const { values, directory, synchronizer, config, chain, pool, keys, server, loggerFor } = options;
  const { snapshots, sequencer, slasher } = options;
  const log = loggerFor("admin");
  const listener = await startAdminServer(
    {
      config,
      sync: syncControl(synchronizer, chain, pool),
      keystore: keystoreControl({ directory: values.keyStoreDirectory, keys }),
      snapshots,
      sequencer,
      slasher,
    },
    {
      ...server,
      host: values.adminHost,
      port: values.adminPort,
      key: {
        disabled: values.disableAdminApiKey,
        hash: reveal(values.adminApiKeyHash),
        reset: values.resetAdminApiKey,
        dataDirectory: directory.temporary ? undefined : directory.path,
        log,
      },
    },
    loggerFor("rpc:admin"),
  );
  log.info({ host: values.adminHost, port: listener.port }, "answering admin JSON-RPC");
  return listener;
}
