import { reveal } from "../../config/configuration.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { ActiveKeystore } from "../../keystore/active-keystore.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { AdminServices } from "../../rpc/admin/ports/admin-services.ts";
import type { Forwarder } from "../../rpc/calls/forwarder.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import { startAdminServer } from "../admin/admin-server.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { keystoreControl } from "../services/keystore-control.ts";
import type { LiveConfig } from "../services/live-config.ts";
import { syncControl } from "../services/sync-control.ts";
import { portOptions } from "./rpc.ts";

/** Services of the admin port. Those that this node does not have are undefined. */
export interface AdminOptions
  extends Pick<
    AdminServices,
    "snapshots" | "sequencer" | "slasher" | "dutyTimes" | "missedDuties" | "localNetwork" | "reports"
  > {
  values: PartValues;
  directory: Pick<DataDirectory, "path" | "temporary">;
  config: LiveConfig;
  pool: Pick<TxPool, "clear">;
  keys: ActiveKeystore | undefined;
  /** Opens the port; startAdminServer by default. */
  open?: typeof startAdminServer;
  /** What the page reads beside the admin methods. */
  reads: NodeServices;
  /** Answers those reads of the page that need another node. */
  forwarder?: Forwarder;
}

/** What the admin port needs of a node, or of a follower. */
interface AdminContext extends Pick<ChainContext, "synchronizer" | "chain" | "loggerFor"> {
  readonly reader: { readonly identity: RollupIdentity };
}

/** Opens the admin port of a node. Rejects with a ListenError, AdminKeyHashError or AdminKeyFileError. */
export async function startAdmin(context: AdminContext, options: AdminOptions): Promise<Listener> {
  const { synchronizer, chain, loggerFor } = context;
  const { values, directory, config, pool, keys, snapshots, sequencer, slasher, localNetwork } = options;
  const { dutyTimes, missedDuties, reports, reads, forwarder, open = startAdminServer } = options;
  const log = loggerFor("admin");
  const port = portOptions(values, context);
  const listener = await open(
    {
      config,
      sync: syncControl(synchronizer, chain, pool),
      keystore: keystoreControl({ directory: values.keys.directory, keys, logger: log }),
      snapshots,
      sequencer,
      slasher,
      dutyTimes,
      missedDuties,
      localNetwork,
      reports,
    },
    {
      ...port,
      listen: { ...port.listen, host: values.admin.host, port: values.admin.port },
      forward: { forwarder },
      api: chain.generation.api,
      reads,
      key: {
        disabled: values.admin.key.disabled,
        hash: reveal(values.admin.key.hash),
        reset: values.admin.key.reset,
        dataDirectory: directory.temporary ? undefined : directory.path,
        log,
      },
    },
    loggerFor("rpc:admin"),
  );
  log.info({ host: values.admin.host, port: listener.port }, "answering admin JSON-RPC on {host}:{port}");
  return listener;
}
