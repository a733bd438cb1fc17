import type { ChainStore } from "../archiver/chain-store.ts";
import type { Synchronizer } from "../archiver/synchronizer.ts";
import type { NodeLogger } from "../process/logging/logging.ts";

/**
 * Warns once if blocks that the network had when it ended are not on its L1: a block is served some time before its
 * checkpoint is published. To be called before anything is synchronized.
 */
export function warnOfLostBlocks(
  synchronizer: Pick<Synchronizer, "on">,
  chain: Pick<ChainStore, "latestBlockNumber">,
  log: Pick<NodeLogger, "warn">,
): void {
  const last = chain.latestBlockNumber();
  const leave = (): void => {
    for (const end of listening) end();
  };
  const listening = [
    synchronizer.on("blocksRemoved", ({ tip }) => {
      if (tip >= last) return;
      leave();
      log.warn(
        { fromBlock: tip + 1, toBlock: last },
        "blocks {fromBlock} to {toBlock} of the last run were not on L1 and are gone: " +
          "their transactions are pending again, except those anchored on one of these blocks",
      );
    }),
    // No block is built on the last one before it is on L1 or gone.
    synchronizer.on("blocksAdded", leave),
  ];
}
