import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { ChainServices } from "../../chain-store/chain-services.ts";
import type { HealthProbe } from "../../telemetry/health.ts";
import { HealthBoard } from "./health-board.ts";
import { worldStateHealth } from "./node-health.ts";

/** A follower is behind its upstream by a block or two for some milliseconds only. */
const MAX_LAG_BLOCKS = 10;

/** The health of a follower's parts. Close it with `close()`. */
export function followerHealth({
  chain,
  world,
  synchronizer,
  snapshot,
}: Pick<ChainServices, "chain" | "world"> & { synchronizer: Synchronizer; snapshot?: HealthProbe }): HealthBoard {
  const { health } = synchronizer;
  const probes = [...health.probes(synchronizer), worldStateHealth({ chain, world }), ...(snapshot ? [snapshot] : [])];
  return new HealthBoard(probes, () => {
    const processed = chain.state.processed();
    return {
      blockNumber: chain.latestBlockNumber(),
      checkpointNumber: chain.latestCheckpointNumber(),
      lagBlocks: health.lagBlocks(chain) + Math.max(chain.latestBlockNumber() - world.status().tip, 0),
      ...(processed && {
        l1BlockNumber: processed.number,
        l1AgeSeconds: Math.round(Date.now() / 1000) - processed.timestamp,
      }),
      limits: { maxLagBlocks: MAX_LAG_BLOCKS },
    };
  });
}
