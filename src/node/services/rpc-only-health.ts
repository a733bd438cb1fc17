import type { ChainStore } from "../../archiver/chain-store.ts";
import type { HealthReport } from "../../rpc/ports/node-health.ts";
import { HEALTHY, type HealthProbe } from "../../telemetry/health.ts";
import { HealthBoard } from "./health-board.ts";

const MAX_LAG_BLOCKS = 50;

/** The node that writes a store which this process reads. */
interface WritingNode {
  /** Seconds since it last answered. */
  readonly awaySeconds: number;
  /** What it last said. */
  readonly report: Pick<HealthReport, "blockNumber" | "lagBlocks" | "limits"> | undefined;
}

/** The node that writes the store. Its reads go on without it, but grow old. */
function nodeProbe(node: Pick<WritingNode, "awaySeconds">, maxAwaySeconds: number): HealthProbe {
  return {
    name: "node",
    read() {
      const away = node.awaySeconds;
      if (away <= maxAwaySeconds) return HEALTHY;
      return { state: "failed", reason: `the node has not answered for ${Math.floor(away)} s` };
    },
  };
}

/** Blocks that L1 has and the store does not, as far as the node knew when it last answered. */
export function lagOf(chain: Pick<ChainStore, "latestBlockNumber">, { report }: Pick<WritingNode, "report">): number {
  if (report === undefined) return 0;
  return report.lagBlocks + Math.max(0, report.blockNumber - chain.latestBlockNumber());
}

/** The health of a process that reads a node's store. Close it with `close()`. */
export function rpcOnlyHealth(
  chain: ChainStore,
  node: WritingNode,
  { maxAwaySeconds }: { maxAwaySeconds: number },
): HealthBoard {
  return new HealthBoard([nodeProbe(node, maxAwaySeconds)], () => {
    const processed = chain.state.processed();
    return {
      blockNumber: chain.latestBlockNumber(),
      checkpointNumber: chain.latestCheckpointNumber(),
      lagBlocks: lagOf(chain, node),
      ...(processed && {
        l1BlockNumber: processed.number,
        l1AgeSeconds: Math.round(Date.now() / 1000) - processed.timestamp,
      }),
      limits: { maxLagBlocks: MAX_LAG_BLOCKS, ...node.report?.limits },
    };
  });
}
