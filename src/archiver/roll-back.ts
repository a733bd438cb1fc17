import { OperatorError } from "../errors/operator-error.ts";
import type { ChainStore } from "./chain-store.ts";
import { lastBlockOf } from "./chain-store.ts";
import { removeMessagesAfter } from "./message-chain.ts";
import { replayWorldState } from "./replay-world-state.ts";
import type { ApplyServices } from "./sync-services.ts";
import type { CheckpointRecord } from "./tables/records.ts";
import { readingPointOf } from "./unwind-chain.ts";

/**
 * The chain cannot be rolled back to the requested block. The message is the one on the wire
 * (docs/protocol/04-l1-contracts.md#428-rollback).
 */
export class RollbackRefusedError extends OperatorError {
  override readonly errorCode: string = "rollback-refused";

  readonly target: number;

  constructor(target: number, message: string) {
    super(message);
    this.name = "RollbackRefusedError";
    this.target = target;
  }
}

/** The checkpoint that ends with block `target`. Throws RollbackRefusedError. */
export function rollbackCheckpoint(
  chain: Pick<ChainStore, "latestBlockNumber" | "block" | "checkpoint">,
  target: number,
): CheckpointRecord {
  const refused = (message: string): RollbackRefusedError => new RollbackRefusedError(target, message);
  const latest = chain.latestBlockNumber();
  if (target >= latest) throw refused(`Target L2 block ${target} must be less than current L2 block ${latest}`);
  const block = Number.isInteger(target) && target > 0 ? chain.block(target) : undefined;
  if (block === undefined) throw refused(`Target L2 block ${target} not found`);
  const checkpoint = chain.checkpoint(block.checkpointNumber);
  if (checkpoint === undefined) throw refused(`Target L2 block ${target} is not checkpointed yet`);
  const { number, startBlock } = checkpoint;
  const last = lastBlockOf(checkpoint);
  if (target !== last) {
    throw refused(
      `Target L2 block ${target} is not at a checkpoint boundary. Checkpoint ${number} spans blocks ${startBlock} to ${last}. ` +
        `Use block ${last} to roll back to this checkpoint, or block ${startBlock - 1} to roll back to the previous one.`,
    );
  }
  return checkpoint;
}

/**
 * Rolls chain and world state back to block `target`, the end of a checkpoint, in one transaction. The result is the
 * store of a node that has read L1 up to the block of that checkpoint: messages of later L1 blocks are removed, both
 * sync points name that L1 block, and the proven and finalized marks are at most at the target. An earlier checkpoint
 * sync point stays, because stored checkpoints after it still have to be compared with L1. If the state of the target
 * is kept, the trees are unwound exactly. If it was pruned, they are reset to genesis and replayed from the stored
 * blocks, which takes as long as hashing them. Throws RollbackRefusedError, or what replayWorldState throws.
 */
export async function rollBack(services: ApplyServices, target: number): Promise<void> {
  const { chain, worldState, store, logger, emit } = services;
  const checkpoint = rollbackCheckpoint(chain, target);
  const from = chain.latestBlockNumber();
  const latest = chain.latestCheckpointNumber();
  const { l1 } = checkpoint;
  const readingPoint = readingPointOf(services, checkpoint.number);
  const removed = store.transaction(() => {
    const { tip, oldest } = worldState.status();
    if (target < oldest) worldState.reset();
    else if (target < tip) {
      worldState.lowerFinalized(target);
      worldState.unwindTo(target);
    }
    const blocks = chain.removeCheckpointsAfter(checkpoint.number);
    removeMessagesAfter(chain.messages, lastMessageIndexAt(chain, l1.number));
    chain.state.putInvalidProposal(undefined);
    chain.state.putSyncPoint("checkpoint-sync", readingPoint);
    chain.state.putSyncPoint("message-sync", l1);
    chain.state.putProcessed(l1);
    return blocks;
  });
  logger.warn(
    { fromBlock: from, toBlock: target, toCheckpoint: checkpoint.number, continueAtL1Block: l1.number },
    "L2 chain rolled back to block {toBlock} on request",
  );
  const checkpoints = latest - checkpoint.number;
  emit("blocksRemoved", { reason: "rollback", tip: target, removed, checkpoints, epoch: undefined });
  await services.exclusive(() => replayWorldState(services));
}

/** Index of the last message that L1 had in block `l1Block`, -1 for none. Later messages are in later L1 blocks. */
function lastMessageIndexAt({ messages }: ChainStore, l1Block: number): number {
  let last = messages.last();
  while (last !== undefined && last.l1BlockNumber > l1Block) last = messages.before(last.index);
  return last?.index ?? -1;
}
