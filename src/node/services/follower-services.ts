import type { RollupIdentity } from "../../l1/types.ts";
import { NETWORK_RELEASE } from "../../network/network-release.ts";
import { neededServices } from "../../rpc/forward/live-services.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";

/** What a follower answers from: its own store. The rest needs a full node. */
export function followerServices(
  reads: Pick<NodeServices, "chain" | "content" | "world" | "core"> & { identity: RollupIdentity },
  {
    processed,
    ...status
  }: { processed: NodeServices["sync"]["lastProcessedL1Block"] } & Pick<
    NodeServices["status"],
    "ready" | "revertWords" | "realProofs"
  >,
): NodeServices {
  const needed = neededServices();
  return {
    ...needed,
    ...reads,
    status: { ...needed.status, ...status, version: NETWORK_RELEASE },
    sync: { lastProcessedL1Block: processed },
  };
}
