import type { Synchronizer } from "../../archiver/synchronizer.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";

/** `ready` says whether the node is connected to a peer. */
export function peerHealth(synchronizer: Pick<Synchronizer, "initialSyncComplete">, ready: () => boolean): HealthProbe {
  return {
    name: "peers",
    read() {
      if (ready()) return HEALTHY;
      return synchronizer.initialSyncComplete
        ? { state: "failed", reason: "connected to no peer" }
        : { state: "waiting", reason: "P2P starts after the initial sync" };
    },
  };
}
