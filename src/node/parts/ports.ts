import type { Configuration } from "../../config/configuration.ts";
import type { Values } from "../../config/options.ts";
import type { PartValues } from "../../config/part-values.ts";
import type { RunningFeed } from "../../follower/serve/feed-worker.ts";
import type { DataDirectory } from "../../process/data-directory.ts";
import type { LogTail } from "../../process/logging/log-tail.ts";
import { writeNodeRecord } from "../../process/node-record.ts";
import { Teardown } from "../../process/teardown.ts";
import type { LocalNetworkControl } from "../../rpc/admin/ports/local-network-control.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";
import type { Listener } from "../../rpc/wire/listener.ts";
import type { SnapshotUploader } from "../../snapshots/upload.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import type { LiveConfig } from "../services/live-config.ts";
import { nodeHealth } from "../services/node-health.ts";
import { nodeReports } from "../services/node-reports.ts";
import { publicServices } from "../services/public-services.ts";
import { type AdminOptions, startAdmin } from "./admin.ts";
import type { DutiesPart } from "./duties.ts";
import { startConfiguredFeed } from "./feed.ts";
import { nodeRecord, startRpc } from "./rpc.ts";

interface PortsOptions {
  values: PartValues;
  /** The options by name, for reports. */
  given: Values;
  directory: DataDirectory;
  mempool: MempoolPart;
  duties: DutiesPart;
  config: LiveConfig;
  snapshots: SnapshotUploader;
  signatures: NodeServices["signatures"];
  onFatal?: (error: Error) => void;
  logTail?: LogTail;
  configuration?: Pick<Configuration, "values" | "origins">;
  localNetwork?: LocalNetworkControl;
  openAdmin?: AdminOptions["open"];
}

/** The ports of a node, besides those of metrics and peers. */
interface PortsPart {
  readonly rpc: Listener;
  readonly admin: Listener;
  /** Undefined where it is not served. */
  readonly feed: RunningFeed | undefined;
  stop(): Promise<void>;
}

/** Opens the ports. If one cannot be opened, the others are closed. Rejects with an OperatorError. */
export async function openPorts(context: ChainContext, options: PortsOptions): Promise<PortsPart> {
  const { values, given, directory, mempool, duties, config, snapshots, signatures, onFatal } = options;
  const { p2p, sentinel, prover, keys, sequencer, slasher, dutyTimes, ownValidators } = duties;
  const teardown = new Teardown(context.loggerFor("node"));
  try {
    const health = nodeHealth(context, { values, mempool, p2p, snapshots, prover });
    teardown.add("health", () => health.close());
    const services = publicServices(context, { values, mempool, p2p, sentinel, prover, config, signatures });
    const rpc = await startRpc(context, { values, services, health, poolEvents: mempool.events, onFatal });
    teardown.add("rpc", () => rpc.close());
    writeNodeRecord(directory.path, nodeRecord(values, context.reader, rpc.port));

    const feed = await startConfiguredFeed(context, { values, rpcPort: rpc.port });
    teardown.add("feed", () => feed?.stop());

    const { configuration, logTail } = options;
    const admin = await startAdmin(context, {
      ...{ values, directory, config, pool: mempool.pool, keys, snapshots, sequencer },
      slasher: slasher?.answers,
      dutyTimes: () => dutyTimes.recent(),
      missedDuties: () => dutyTimes.misses(),
      reports: nodeReports({
        ...{ values: given, configuration, logTail, metrics: context.metrics, health, p2p },
        pool: mempool.pool,
        attesters: ownValidators,
      }),
      localNetwork: options.localNetwork,
      open: options.openAdmin,
      reads: services,
    });
    teardown.add("admin rpc", () => admin.close());
    return { rpc, admin, feed, stop: () => teardown.run() };
  } catch (error) {
    await teardown.undo();
    throw error;
  }
}
