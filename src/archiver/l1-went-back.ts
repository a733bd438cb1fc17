import type { L1Block } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import type { SyncServices } from "./sync-services.ts";
import type { L1Position } from "./tables/chain-state.ts";
import { newestStanding, replaced, syncPointOf } from "./unwind-chain.ts";

/**
 * Detects that L1's head is below what was read because L1 lost blocks: it was restarted from an older copy, or a reorg
 * made the chain shorter so far. Syncing then resumes at the newest block that is still on L1, and everything L1 lost
 * is unwound. If the endpoint only lags, it still has the known blocks up to its head, and nothing changes.
 */
export async function followL1Back(services: SyncServices, current: L1Block): Promise<void> {
  const { chain, store, logger } = services;
  const read = highestRead(services);
  if (current.number >= read) return;
  const known = newestKnown(services, current.number);
  if (known === undefined) return;
  const differs = known.number === current.number ? !equal(known.hash, current.hash) : await replaced(services, known);
  if (!differs) return;
  const position = await newestStanding(services, current.number);
  logger.warn(
    { l1Block: current.number, read, continueAt: position.number },
    "L1 reorganized below its last known head: reading again from block {continueAt}",
  );
  store.transaction(() => {
    chain.state.putSyncPoint("checkpoint-sync", position);
    chain.state.putSyncPoint("message-sync", position);
    chain.recentL1Blocks.clear();
    const proven = chain.provenL1Block.of(chain.provenCheckpointNumber());
    if (proven !== undefined && proven.number > position.number) chain.provenL1Block.clear();
  });
}

/**
 * Records `current` as processed and forgets recorded blocks that it does not descend from. Does nothing while L1 lags.
 * Call the returned function inside Store.transaction.
 */
export async function rememberL1Block(services: SyncServices, current: L1Block): Promise<() => void> {
  const { recentL1Blocks } = services.chain;
  const newest = recentL1Blocks.newest();
  if (newest !== undefined && newest.number > current.number) return () => {};
  // Blocks below a replaced one may be replaced too.
  const another = newest !== undefined && (await replaced(services, newest));
  return () => {
    if (another) recentL1Blocks.clear();
    recentL1Blocks.put(current);
  };
}

/** Number of the highest L1 block that anything was read from. */
function highestRead(services: SyncServices): number {
  const { state, recentL1Blocks } = services.chain;
  const positions = [recentL1Blocks.newest(), state.syncPoint("message-sync"), syncPointOf(services)];
  return Math.max(...positions.map((position) => position?.number ?? 0));
}

/**
 * The newest L1 block up to `limit` whose hash is known. The L1 block in a checkpoint's row belongs to the current L1
 * chain only if the sync point is past it.
 */
function newestKnown(services: SyncServices, limit: number): L1Position | undefined {
  const { chain } = services;
  const upTo = Math.min(limit, syncPointOf(services).number);
  let number = chain.latestCheckpointNumber();
  while (number > 0 && chain.checkpoint(number)!.l1.number > upTo) number--;
  const checkpoint = chain.checkpoint(number)?.l1;
  const recent = chain.recentL1Blocks.newest(limit);
  if (checkpoint === undefined || (recent !== undefined && recent.number >= checkpoint.number)) return recent;
  return checkpoint;
}
