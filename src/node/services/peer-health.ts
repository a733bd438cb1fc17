import type { Synchronizer } from "../../archiver/synchronizer.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";

/** `peers` counts connected ones, of which a healthy node has `least`. */
export function peerHealth(
  synchronizer: Pick<Synchronizer, "initialSyncComplete">,
  peers: () => number,
  least: number,
): HealthProbe {
  return {
    name: "peers",
    read() {
      if (!synchronizer.initialSyncComplete) return { state: "waiting", reason: "P2P starts after the initial sync" };
      const connected = peers();
      if (connected >= least) return HEALTHY;
      const reason = connected === 0 ? "connected to no peer" : `connected to ${connected} of at least ${least} peers`;
      return { state: "failed", reason };
    },
  };
}
