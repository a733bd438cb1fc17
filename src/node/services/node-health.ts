import type { PartValues } from "../../config/part-values.ts";
import type { PeerHost } from "../../p2p/peers/peer-host.ts";
import type { SnapshotUploader } from "../../snapshots/upload.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import { isDevelopmentL1 } from "../chain/connect-l1.ts";
import type { ChainContext } from "../context/chain-context.ts";
import { HealthBoard } from "./health-board.ts";

/** About five checkpoints of mainnet: one or two are missing whenever L1 has just got them. */
const MAX_LAG_BLOCKS = 50;

export interface HealthParts {
  values: Pick<PartValues, "l1" | "p2p">;
  mempool: { readonly health: HealthProbe };
  /** Undefined where P2P is off. */
  p2p: { readonly health: HealthProbe; readonly node: { readonly peers: Pick<PeerHost, "peers"> } } | undefined;
  snapshots: Pick<SnapshotUploader, "health">;
  /** Undefined for a node that proves no epochs. */
  prover:
    | { readonly node: { readonly health: HealthProbe }; readonly brokerHealth: HealthProbe | undefined }
    | undefined;
}

/** Stored blocks whose effects are not in the trees yet: an interrupted replay, or one under way after a rollback. */
export function worldStateHealth({
  chain,
  world,
}: {
  chain: Pick<ChainContext["chain"], "latestBlockNumber">;
  world: Pick<ChainContext["world"], "status">;
}): HealthProbe {
  return {
    name: "world-state",
    read() {
      const { tip } = world.status();
      const last = chain.latestBlockNumber();
      return tip >= last ? HEALTHY : { state: "waiting", reason: `replaying blocks: ${tip} of ${last}` };
    },
  };
}

function off(name: string, reason: string): HealthProbe {
  return { name, read: () => ({ state: "off", reason }) };
}

/** The health of a node's parts. Close it with `close()`. */
export function nodeHealth(
  context: ChainContext,
  { values, mempool, p2p, snapshots, prover }: HealthParts,
): HealthBoard {
  const { chain, world, reader, synchronizer, clock } = context;
  const { health } = synchronizer;
  const probes = [
    ...health.probes(synchronizer, () => context.endpoints.isOut("l1")),
    worldStateHealth(context),
    mempool.health,
    p2p?.health ?? off("peers", "P2P is off"),
    snapshots.health,
    prover?.node.health ?? off("prover", "the node proves no epochs"),
    prover?.brokerHealth ?? off("prover-broker", "no proving broker outside this process is configured"),
  ];
  const { maxDriftSeconds: maxAge } = values.l1;
  const limits = {
    maxLagBlocks: MAX_LAG_BLOCKS,
    ...(maxAge > 0 && !isDevelopmentL1(reader.identity.l1ChainId) && { maxL1AgeSeconds: maxAge }),
    ...(p2p !== undefined && { minPeers: values.p2p.health.minPeers }),
  };
  return new HealthBoard(probes, () => {
    const processed = chain.state.processed();
    const behind = Math.max(chain.latestBlockNumber() - world.status().tip, 0);
    return {
      blockNumber: chain.latestBlockNumber(),
      checkpointNumber: chain.latestCheckpointNumber(),
      lagBlocks: health.lagBlocks(chain) + behind,
      ...(processed && {
        l1BlockNumber: processed.number,
        l1AgeSeconds: Math.round(clock.now() / 1000) - processed.timestamp,
      }),
      ...(p2p && { peers: p2p.node.peers.peers().length }),
      limits,
    };
  });
}
