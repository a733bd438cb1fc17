import type { ChainStore } from "../archiver/chain-store.ts";
import { toHex } from "../protocol/bytes.ts";
import type { SnapshotEntry } from "./snapshot-index.ts";

export type SnapshotFacts = Pick<
  SnapshotEntry,
  "l2BlockNumber" | "l2BlockHash" | "checkpointNumber" | "archiveRoot" | "l1BlockNumber"
>;

/**
 * The facts of a chain store for an index entry; undefined if it has no checkpoint. Reads one snapshot of the store.
 */
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

/** L1 block up to which a store is synced; undefined for a new store. */
export function l1Position(chain: ChainStore): number | undefined {
  return (chain.state.processed() ?? chain.state.syncPoint("checkpoint-sync"))?.number;
}
