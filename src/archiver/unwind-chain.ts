import type { L1Block } from "../l1/types.ts";
import { headerSlotNumber } from "../protocol/block-header.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { checkpointSlot } from "../protocol/checkpoint-header.ts";
import { epochOfSlot } from "../protocol/time.ts";
import { InconsistentL1Error, ReorgBelowFinalizedError } from "./errors.ts";
import { confirmProvenGone } from "./proven-stands.ts";
import type { ApplyServices, SyncServices, UnwindReason } from "./sync-services.ts";
import type { L1Position } from "./tables/chain-state.ts";
import type { RemovedBlock } from "./types.ts";

/**
 * Removes the checkpoints after `checkpoint` from chain and world state in one transaction. `syncPoint` is where
 * syncing resumes; without it the sync point stays. Throws ReorgBelowFinalizedError.
 */
export function unwindChain(
  services: ApplyServices,
  checkpoint: number,
  reason: Extract<UnwindReason, "l1-reorg" | "unproven">,
  syncPoint?: L1Position,
): void {
  const { chain, worldState, store, reader, emit, logger } = services;
  const from = chain.latestCheckpointNumber();
  const tip = chain.lastBlockOfCheckpoint(checkpoint);
  const { finalized } = worldState.status();
  if (tip < finalized) throw new ReorgBelowFinalizedError(tip, finalized);
  const first = chain.checkpoint(checkpoint + 1);
  const epoch = first && epochOfSlot(checkpointSlot(first.header), reader.identity.constants);
  const began = performance.now();
  const removed = store.transaction(() => {
    if (worldState.status().tip > tip) worldState.unwindTo(tip);
    const blocks = chain.removeCheckpointsAfter(checkpoint);
    chain.state.putInvalidProposal(undefined);
    if (syncPoint !== undefined) chain.state.putSyncPoint("checkpoint-sync", syncPoint);
    return blocks;
  });
  logger.warn(
    { reason, fromCheckpoint: from, toCheckpoint: checkpoint, toBlock: tip, removedBlocks: removed.length },
    "L2 chain unwound to block {toBlock}: {removedBlocks:block} removed",
  );
  const ms = performance.now() - began;
  if (removed.length > 0) emit("blocksRemoved", { reason, tip, removed, checkpoints: from - checkpoint, epoch, ms });
}

/**
 * Removes the proposed blocks after `tip` from chain and world state in one transaction. @returns them, highest first.
 */
export function removeProposedAfter(
  { chain, worldState, store }: Pick<ApplyServices, "chain" | "worldState" | "store">,
  tip: number,
): RemovedBlock[] {
  return store.transaction(() => {
    worldState.unwindTo(tip);
    return chain.removeProposedAfter(tip);
  });
}

/** Removes the proposed blocks after `tip`; there must be at least one. */
export function unwindProposed(
  services: ApplyServices,
  tip: number,
  reason: Extract<UnwindReason, "slot-passed" | "replaced">,
): void {
  const { chain, emit, logger } = services;
  const from = chain.latestBlockNumber();
  const removed = removeProposedAfter(services, tip);
  const slot = headerSlotNumber(removed[removed.length - 1].header);
  logger.info({ reason, fromBlock: from, toBlock: tip, slot }, "removed proposed blocks");
  emit("blocksRemoved", { reason, tip, removed, checkpoints: 0, epoch: undefined });
}

/**
 * L1 block of a stored checkpoint, or the one that deployed the rollup. Every later checkpoint is in a later L1 block.
 */
export function publicationOf({ chain, reader }: ApplyServices, checkpoint: number): L1Position {
  const { constants, l1StartBlockHash } = reader.identity;
  return chain.checkpoint(checkpoint)?.l1 ?? { number: constants.l1StartBlock, hash: l1StartBlockHash };
}

/** L1 block up to which checkpoints have been read. */
export function syncPointOf(services: ApplyServices): L1Position {
  return services.chain.state.syncPoint("checkpoint-sync") ?? publicationOf(services, 0);
}

/**
 * L1 block from which to read so that every checkpoint after `checkpoint` is found, and no stored one that must be read
 * again is skipped. This is the sync point if it is before the L1 block of `checkpoint`: that checkpoint's row may name
 * a block that L1 has replaced.
 */
export function readingPointOf(services: ApplyServices, checkpoint: number): L1Position {
  const published = publicationOf(services, checkpoint);
  const read = syncPointOf(services);
  return read.number < published.number ? read : published;
}

/**
 * Unwinds to the highest checkpoint whose archive L1 has under the same number
 * (docs/protocol/04-l1-contracts.md#421-l1-reorgs). Archives chain, so a match implies that all lower ones match:
 * searches downwards with doubling steps, then bisects. Throws ContradictedProofError if proven checkpoints would go
 * although nothing took their proof away.
 */
export async function unwindToL1(services: SyncServices, current: L1Block): Promise<void> {
  const { chain, reader } = services;
  const latest = chain.latestCheckpointNumber();
  const agrees = async (number: number): Promise<boolean> =>
    number === 0 || equal(await reader.archiveAt(number), chain.checkpoint(number)!.archiveRoot);
  if (await agrees(latest)) {
    throw new InconsistentL1Error("the archive of the latest checkpoint differs in one answer and agrees in the next", {
      checkpoint: latest,
      archive: toHex(chain.checkpoint(latest)!.archiveRoot),
    });
  }
  let differing = latest;
  let common = Math.max(latest - 1, 0);
  for (let step = 2; !(await agrees(common)); step *= 2) {
    differing = common;
    common = Math.max(latest - step, 0);
  }
  while (differing - common > 1) {
    const middle = Math.floor((common + differing) / 2);
    if (await agrees(middle)) common = middle;
    else differing = middle;
  }
  if (common < chain.provenCheckpointNumber()) await confirmProvenGone(services, current);
  unwindChain(services, common, "l1-reorg", readingPointOf(services, common));
}

/**
 * Moves the checkpoint sync point back if L1 replaced its block, to the newest stored checkpoint whose L1 block is
 * still on L1. Checkpoints that were only published again in other L1 blocks are then read again and keep their
 * contents. Until the latest has been read again, the sync point stays before all of them, and the L1 blocks in their
 * rows are not used.
 */
export async function checkSyncPoint(services: SyncServices): Promise<L1Position> {
  const { chain, store, logger } = services;
  const stored = chain.state.syncPoint("checkpoint-sync");
  if (stored === undefined) return publicationOf(services, 0);
  if (!(await replaced(services, stored))) return stored;
  const position = await newestStanding(services, stored.number);
  logger.warn(
    { l1Block: stored.number, hash: toHex(stored.hash), continueAt: position.number },
    "L1 replaced the last block that was read: reading again from an older one",
  );
  store.transaction(() => chain.state.putSyncPoint("checkpoint-sync", position));
  return position;
}

/**
 * L1 block of the newest stored checkpoint up to L1 block `limit` that is still on L1, or the one that deployed the
 * rollup.
 */
export async function newestStanding(services: SyncServices, limit: number): Promise<L1Position> {
  const stands = async (position: L1Position): Promise<boolean> =>
    position.number <= limit && !(await replaced(services, position));
  let number = services.chain.latestCheckpointNumber();
  while (number > 0 && !(await stands(publicationOf(services, number)))) number--;
  return publicationOf(services, number);
}

/**
 * Whether L1 has another block at this height. An L1 node that does not know the block (yet) proves nothing, so that
 * counts as no.
 */
export async function replaced({ reader }: SyncServices, position: L1Position): Promise<boolean> {
  const block: L1Block | undefined = await reader.block(position.number);
  return block !== undefined && !equal(block.hash, position.hash);
}
