import type { ChainStore } from "../../archiver/chain-store.ts";
import { RollbackRefusedError, rollbackCheckpoint } from "../../archiver/roll-back.ts";
import type { Synchronizer } from "../../archiver/synchronizer.ts";
import type { TxPool } from "../../mempool/pool/tx-pool.ts";
import type { SyncControl } from "../../rpc/admin/ports/sync-control.ts";

/** The admin methods that control a synchronizer (docs/protocol/05-rpc.md#536-sync-and-rollback). */
export function syncControl(
  synchronizer: Pick<Synchronizer, "pause" | "resume" | "rollBackTo">,
  chain: Pick<ChainStore, "finalizedBlockNumber" | "latestBlockNumber" | "block" | "checkpoint">,
  pool: Pick<TxPool, "clear">,
): SyncControl {
  return {
    pause: () => synchronizer.pause(),
    resume: () => synchronizer.resume(),
    async rollBackTo(block, { force, resumeSync }) {
      const finalized = chain.finalizedBlockNumber();
      if (block < finalized && !force) {
        throw new RollbackRefusedError(
          block,
          `Cannot rollback to block ${block} as it is before finalized ${finalized}`,
        );
      }
      await synchronizer.pause();
      try {
        if (block < finalized) {
          rollbackCheckpoint(chain, block);
          // The pool first: a crash in between leaves a pool without txs, never one with txs of the removed blocks.
          pool.clear();
        }
        await synchronizer.rollBackTo(block);
      } finally {
        if (resumeSync) synchronizer.resume();
      }
    },
  };
}
