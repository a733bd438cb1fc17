import type { ChainStore } from "../../archiver/chain-store.ts";
import type { Synchronizer } from "../../archiver/synchronizer.ts";
import { headerSlotNumber } from "../../protocol/block-header.ts";
import { epochOfSlot, epochSlots, type L1Constants, slotTimestamp } from "../../protocol/time.ts";
import type { TxCollection } from "./tx-collection.ts";

interface FollowedChain {
  collection: Pick<TxCollection, "collectMined" | "provenUpTo" | "prunedTo">;
  synchronizer: Pick<Synchronizer, "on" | "initialSyncComplete">;
  chain: Pick<ChainStore, "block" | "txEffects" | "latestBlockNumber" | "provenBlockNumber">;
  constants: L1Constants;
}

/**
 * Has the txs of mined blocks collected until they are proven or pruned
 * (docs/protocol/10-peers.md#1015-collecting-transactions). Called before the synchronizer starts. Returns an
 * unsubscribe function.
 */
export function followMinedBlocks({ collection, synchronizer, chain, constants }: FollowedChain): () => void {
  const collect = (number: number): void => {
    const block = chain.block(number);
    if (block === undefined || block.txCount === 0) return;
    const hashes = chain.txEffects(number).map(({ txHash }) => Uint8Array.from(txHash));
    const deadline = proofDeadline(headerSlotNumber(block.header), constants) * 1000;
    collection.collectMined({ number, hashes, archive: block.archiveRoot, deadline });
  };
  const collectFrom = (first: number, last: number): void => {
    for (let number = Math.max(first, chain.provenBlockNumber() + 1); number <= last; number++) collect(number);
  };
  const isNew = chain.latestBlockNumber() === 0;
  /** First block that the initial sync added. */
  let missedFrom: number | undefined;
  const unsubscribe = [
    synchronizer.on("blocksAdded", ({ first, last }) => {
      if (synchronizer.initialSyncComplete) collectFrom(first, last);
      else missedFrom = Math.min(first, missedFrom ?? first);
    }),
    synchronizer.on("initialSyncComplete", () => {
      // A new node leaves out the blocks before its start; one that was stopped makes up for those that it missed.
      if (!isNew && missedFrom !== undefined) collectFrom(missedFrom, chain.latestBlockNumber());
    }),
    synchronizer.on("blocksRemoved", ({ tip }) => collection.prunedTo(tip)),
    synchronizer.on("proven", ({ blockNumber }) => collection.provenUpTo(blockNumber)),
  ];
  return () => {
    for (const end of unsubscribe) end();
  };
}

/** Unix time in seconds after which the epoch of a slot can no longer be proven. */
function proofDeadline(slot: number, constants: L1Constants): number {
  const epoch = epochOfSlot(slot, constants) + constants.proofSubmissionEpochs;
  return slotTimestamp(epochSlots(epoch, constants).last + 1, constants);
}
