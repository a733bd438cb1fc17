import { toHex } from "../../../src/protocol/bytes.ts";
import { TREE_IDS } from "../../../src/protocol/constants.ts";
import type { Follower } from "../../world/node/follower.ts";

interface NodeState {
  readonly world: { readonly tip: number; readonly oldest: number; readonly finalized: number };
  readonly [name: string]: unknown;
}

/** State to compare between nodes: the tips, and for every block the archive root and the roots of all trees. */
export function stateOf({ services: { chain, world } }: Follower): NodeState {
  const blocks = Array.from({ length: chain.latestBlockNumber() }, (_, i) => {
    const { number, hash, archiveRoot, checkpointNumber } = chain.block(i + 1)!;
    const roots = TREE_IDS.map((tree) => toHex(world.snapshot(number, tree).root));
    return {
      number,
      hash: toHex(hash),
      archive: toHex(archiveRoot),
      roots,
      l1: chain.checkpoint(checkpointNumber)?.l1,
    };
  });
  const { tip, oldest, finalized } = world.status();
  const sync = (["checkpoint-sync", "message-sync"] as const).map((of) => chain.state.syncPoint(of));
  return {
    tips: chain.tips(),
    world: { tip, oldest, finalized },
    messages: [chain.messages.count(), chain.messages.last()?.rollingHash],
    invalid: chain.state.invalidProposal(),
    processed: chain.state.processed(),
    sync,
    blocks,
  };
}
