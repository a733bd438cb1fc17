import { ContentStore } from "../../archiver/content-store.ts";
import type { ChainServices } from "../../chain-store/chain-services.ts";
import type { Core } from "../../core/core.ts";
import type { RollupIdentity } from "../../l1/types.ts";
import { neededServices } from "../../rpc/forward/live-services.ts";
import type { NodeServices } from "../../rpc/ports/node-services.ts";

interface StoredParts extends ChainServices {
  core: Core;
  identity: RollupIdentity;
  revertWords: NodeServices["status"]["revertWords"];
  realProofs: boolean;
  /** Whether the store has caught up; by default the node that calls are forwarded to says it. */
  ready?: NodeServices["status"]["ready"];
}

/** What a process without a full node answers from a chain store. The rest needs a full node. */
export function storedServices({ store, chain, world, core, identity, ...status }: StoredParts): NodeServices {
  const needed = neededServices();
  return {
    ...needed,
    ...{ chain, world, core, identity },
    content: new ContentStore({ store, chain }),
    status: { ...needed.status, ...status, version: chain.generation.api.release },
    sync: { lastProcessedL1Block: () => chain.state.processed() },
  };
}
