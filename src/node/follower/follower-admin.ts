import { type Configuration, reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import { partValues } from "../../config/part-values.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import { UpstreamEndpoints } from "../../rpc/forward/upstream-endpoints.ts";
import type { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import { Upstreams } from "../../rpc/forward/upstreams.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { type AdminContext, startAdmin } from "../parts/admin.ts";
import type { HealthBoard } from "../services/health-board.ts";
import { LiveConfig } from "../services/live-config.ts";
import { nodeReports } from "../services/node-reports.ts";
import { adminValues } from "../settings/admin-values.ts";

export interface FollowerAdminOptions {
  values: Values;
  directory: DataDirectory;
  reads: NodeServices;
  health: HealthBoard;
  /** What the page cannot read from the store it asks them. */
  upstreams: UpstreamUrls;
  configuration: Pick<Configuration, "values" | "origins"> | undefined;
  logTail: LogTail | undefined;
}

/** Parts that only a full node has. */
const NO_POOL = { clear: () => undefined, pendingHashes: () => [], pendingEntry: () => undefined };

/**
 * Opens the admin port of a follower. Its synchronizer is controlled as a node's; what a follower does not have is
 * refused as on a node without it. Rejects as startAdmin.
 */
export function startFollowerAdmin(
  context: AdminContext & Pick<ChainContext, "metrics">,
  { values, directory, reads, health, upstreams, configuration, logTail }: FollowerAdminOptions,
): Promise<Listener> {
  const log = context.loggerFor("rpc:admin");
  return startAdmin(context, {
    ...{ values: partValues(values), directory, reads },
    config: new LiveConfig(adminValues(values), {
      sync: context.synchronizer,
      ...{ pool: undefined, checks: undefined, sequencer: undefined, p2p: undefined },
      ...{ sentinel: undefined, slasher: undefined, validator: undefined },
    }),
    pool: NO_POOL,
    ...{ keys: undefined, snapshots: undefined, sequencer: undefined, slasher: undefined, localNetwork: undefined },
    dutyTimes: () => [],
    missedDuties: () => [],
    reports: nodeReports(context, {
      ...{ values, configuration, logTail, health, pool: NO_POOL, p2p: undefined },
      attesters: () => [],
    }),
    forwarder: new Upstreams({
      upstreams: new UpstreamEndpoints(() => upstreams.current, log),
      ...{ apiKey: reveal(values.rpcUpstreamApiKey), log },
    }),
  });
}
