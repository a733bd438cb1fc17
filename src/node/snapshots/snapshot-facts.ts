import type { ChainStore } from "../../archiver/chain-store.ts";
import { toHex } from "../../protocol/bytes.ts";
import type { SnapshotEntry } from "./snapshot-index.ts";

export type SnapshotFacts = Pick<
  SnapshotEntry,
  "l2BlockNumber" | "l2BlockHash" | "checkpointNumber" | "archiveRoot" | "l1BlockNumber"
>;

/** What a chain store holds, as an index tells it; undefined while it has no checkpoint. One snapshot of the store. */
export function factsOf(chain: ChainStore): SnapshotFacts | undefined {
  const checkpointNumber = chain.latestCheckpointNumber();
  const checkpoint = chain.checkpoint(checkpointNumber);
  const block = chain.block(chain.latestBlockNumber());
  if (checkpoint === undefined || block === undefined) return undefined;
  return {
    l2BlockNumber: block.number,
    l2BlockHash: toHex(block.hash),
    checkpointNumber,
    archiveRoot: toHex(checkpoint.archiveRoot),
    l1BlockNumber: l1Position(chain) ?? 0,
  };
}

/** L1 block up to which a store was read; undefined in a new one. */
export function l1Position(chain: ChainStore): number | undefined {
  return (chain.state.processed() ?? chain.state.syncPoint("checkpoint-sync"))?.number;
}
