import type { InboxMessage, InboxState, L1Block } from "../l1/types.ts";
import { equal, toHex } from "../protocol/bytes.ts";
import { MessageOrderError } from "./errors.ts";
import { l1Ranges } from "./l1-ranges.ts";
import { insertMessages, localRollingHash, removeMessagesAfter } from "./message-chain.ts";
import { type SyncServices, timed } from "./sync-services.ts";

/**
 * Syncs the stored L1-to-L2 messages with the inbox at L1 block `current`
 * (docs/protocol/04-l1-contracts.md#414-following-messages). While the inbox's count and rolling hash match the stored
 * ones, no logs are read. If appending the logs after the sync point does not produce a match, L1 has replaced blocks:
 * local messages that L1 does not have are removed, and the logs since the last common one are read again.
 */
export async function syncMessages(services: SyncServices, current: L1Block): Promise<void> {
  const { chain, reader, logger } = services;
  const read = chain.state.syncPoint("message-sync");
  const syncPoint = read?.number ?? reader.identity.constants.l1StartBlock;
  // Even at the same height L1 may have replaced the block.
  if (read !== undefined && equal(current.hash, read.hash)) return;
  const inbox = await reader.inboxState(current.number);
  // An endpoint that is behind and has fewer messages lags. If it has as many or more, the sync point is no longer a
  // block of L1.
  const behind = current.number < syncPoint;
  if (behind && inbox.totalMessagesInserted < chain.messages.count()) return;
  if (!agree(services, inbox)) {
    let appended = false;
    try {
      const last = chain.messages.last()?.l1BlockNumber ?? reader.identity.constants.l1StartBlock;
      await append(services, behind ? last : syncPoint + 1, current.number);
      appended = true;
    } catch (error) {
      if (!(error instanceof MessageOrderError)) throw error;
      logger.debug({ rule: error.message }, "L1-to-L2 messages do not continue the stored ones");
    }
    if (!appended || !agree(services, inbox)) {
      const common = await rollBack(services);
      await append(services, common?.l1BlockNumber ?? reader.identity.constants.l1StartBlock, current.number);
    }
  }
  if (!agree(services, inbox)) {
    // What the inbox holds may have been that of a later block: see readAtLatest in src/l1/latest-block.ts.
    if (!equal((await reader.latestBlock()).hash, current.hash)) return;
    logger.warn(
      {
        l1Block: current.number,
        inboxCount: inbox.totalMessagesInserted,
        storedCount: chain.messages.count(),
        inboxRollingHash: toHex(inbox.rollingHash),
        storedRollingHash: toHex(localRollingHash(chain.messages)),
      },
      "stored L1-to-L2 messages differ from the inbox after reading its logs",
    );
    return;
  }
  services.store.transaction(() => chain.state.putSyncPoint("message-sync", current));
}

function agree({ chain }: SyncServices, inbox: InboxState): boolean {
  return (
    chain.messages.count() === inbox.totalMessagesInserted && equal(localRollingHash(chain.messages), inbox.rollingHash)
  );
}

async function append(services: SyncServices, from: number, to: number): Promise<void> {
  const { chain, reader, store, options, times, emit } = services;
  for (const range of l1Ranges(from, to, options.batchSize, reader.identity.constants)) {
    services.interruption.signal.throwIfAborted();
    const began = performance.now();
    const messages = await timed(times, "l1Fetch", () => reader.messages(range.from, range.to));
    const last = messages.at(-1);
    if (last === undefined) continue;
    store.transaction(() => {
      insertMessages(chain.messages, messages);
      chain.state.putSyncPoint("message-sync", { number: last.l1BlockNumber, hash: last.l1BlockHash });
    });
    emit("messagesAdded", { count: messages.length, ms: performance.now() - began });
  }
}

/** Removes the newest messages until the last one is also on L1. Returns that one as read from L1. */
async function rollBack(services: SyncServices): Promise<InboxMessage | undefined> {
  const { chain, reader, store, logger } = services;
  const newest = chain.messages.last();
  if (newest === undefined) return undefined;
  const common = await newestCommon(services, newest);
  if (common?.index === newest.index) return common;
  const { l1StartBlock } = reader.identity.constants;
  const removed = store.transaction(() => {
    chain.state.putSyncPoint(
      "message-sync",
      common === undefined
        ? { number: l1StartBlock, hash: reader.identity.l1StartBlockHash }
        : { number: common.l1BlockNumber, hash: common.l1BlockHash },
    );
    return removeMessagesAfter(chain.messages, common?.index ?? -1);
  });
  logger.warn(
    { removed, newest: newest.index, common: common?.index },
    "L1 replaced blocks with L1-to-L2 messages: rolled the stored messages back",
  );
  return common;
}

/**
 * The newest stored message that is also on L1, as read from L1. Rolling hashes chain, so a match implies that all
 * earlier messages match: searches backwards with doubling steps, then bisects.
 */
async function newestCommon({ chain, reader }: SyncServices, newest: InboxMessage): Promise<InboxMessage | undefined> {
  const { messages } = chain;
  const onL1 = async (local: InboxMessage): Promise<InboxMessage | undefined> => {
    const remote = await reader.findMessage(local.leaf);
    return remote?.index === local.index && equal(remote.rollingHash, local.rollingHash) ? remote : undefined;
  };
  let common = await onL1(newest);
  /** Messages from this index on differ; those up to `low` match. */
  let differing = newest.index + (common === undefined ? 0 : 1);
  let low = common?.index ?? -1;
  for (let step = 1; common === undefined; step *= 2) {
    const local = messages.before(newest.index - step + 1);
    if (local === undefined) break;
    common = await onL1(local);
    if (common === undefined) differing = local.index;
    else low = local.index;
  }
  while ((messages.before(differing)?.index ?? -1) > low) {
    const middle = Math.floor((low + differing) / 2);
    const local = messages.before(middle + 1);
    const found = local !== undefined && local.index > low ? await onL1(local) : common;
    if (local !== undefined && local.index > low && found === undefined) {
      differing = local.index;
    } else {
      common = found;
      low = middle;
    }
  }
  return common;
}
