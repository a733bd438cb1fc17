import { type Configuration, reveal } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import { UpstreamEndpoints } from "../../rpc/forward/upstream-endpoints.ts";
import type { UpstreamUrls } from "../../rpc/forward/upstream-urls.ts";
import { Upstreams } from "../../rpc/forward/upstreams.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { Metrics } from "../../telemetry/metrics/metrics.ts";
import { adminValues } from "../settings/admin-values.ts";
import type { HealthBoard } from "./health-board.ts";
import { type ConfigurableParts, LiveConfig } from "./live-config.ts";
import { nodeReports } from "./node-reports.ts";

interface FollowerAdminParts {
  /** The options by name. */
  values: Values;
  sync: ConfigurableParts["sync"];
  metrics: Metrics;
  health: HealthBoard;
  /** What the page cannot read from the store it asks them. */
  upstreams: UpstreamUrls;
  configuration: Pick<Configuration, "values" | "origins"> | undefined;
  logTail: LogTail | undefined;
  log: Logger;
}

/** Parts that only a full node has. */
const NO_POOL = { clear: () => undefined, pendingHashes: () => [], pendingEntry: () => undefined };

/** What the admin port of a follower answers from. What a follower does not have is refused as on a node without it. */
export function followerAdmin(parts: FollowerAdminParts) {
  const { values, sync, metrics, health, upstreams, configuration, logTail, log } = parts;
  return {
    config: new LiveConfig(adminValues(values), {
      sync,
      ...{ pool: undefined, checks: undefined, sequencer: undefined, p2p: undefined },
      ...{ sentinel: undefined, slasher: undefined, validator: undefined },
    }),
    pool: NO_POOL,
    ...{ keys: undefined, snapshots: undefined, sequencer: undefined, slasher: undefined, localNetwork: undefined },
    dutyTimes: () => [],
    missedDuties: () => [],
    reports: nodeReports({
      ...{ values, configuration, logTail, health, metrics, pool: NO_POOL, p2p: undefined },
      attesters: () => [],
    }),
    forwarder: new Upstreams({
      upstreams: new UpstreamEndpoints(() => upstreams.current, log),
      ...{ apiKey: reveal(values.rpcUpstreamApiKey), log },
    }),
  };
}
