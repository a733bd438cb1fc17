import type { InboxMessage } from "../l1/types.ts";
import { equal } from "../protocol/bytes.ts";
import { firstMessageIndex, messageCheckpoint, nextRollingHash } from "../protocol/l1-to-l2-message.ts";
import { MessageOrderError } from "./errors.ts";
import type { Messages } from "./tables/messages.ts";

const EMPTY_ROLLING_HASH = new Uint8Array(16);

/** Rolling hash of the inbox after the last stored message. */
export function localRollingHash(messages: Messages): Uint8Array {
  return messages.last()?.rollingHash ?? EMPTY_ROLLING_HASH;
}

/**
 * Appends messages in inbox order (docs/protocol/04-l1-contracts.md#414-following-messages). For a message that is
 * stored already with the same rolling hash, only its L1 block is updated. Runs inside Store.transaction; throws
 * MessageOrderError.
 */
export function insertMessages(stored: Messages, messages: InboxMessage[]): void {
  let last = stored.last();
  for (const message of messages) {
    if (last !== undefined && message.index <= last.index) {
      const known = stored.get(message.index);
      if (known === undefined || !equal(known.rollingHash, message.rollingHash)) {
        throw new MessageOrderError(message, `must come after message ${last.index}`);
      }
    } else {
      checkNext(last, message);
      last = message;
    }
    stored.put(message);
  }
}

function checkNext(last: InboxMessage | undefined, message: InboxMessage): void {
  if (!equal(nextRollingHash(last?.rollingHash ?? EMPTY_ROLLING_HASH, message.leaf), message.rollingHash)) {
    throw new MessageOrderError(message, `rolling hash must continue that of message ${last?.index ?? "none"}`);
  }
  if (messageCheckpoint(message.index) !== message.checkpointNumber) {
    throw new MessageOrderError(message, `index must be one of checkpoint ${message.checkpointNumber}`);
  }
  const expected =
    last?.checkpointNumber === message.checkpointNumber ? last.index + 1 : firstMessageIndex(message.checkpointNumber);
  if (message.index !== expected) throw new MessageOrderError(message, `index must be ${expected}`);
}

/**
 * Removes the messages after `index` (-1 for all), newest first. Runs inside Store.transaction. Returns their number.
 */
export function removeMessagesAfter(stored: Messages, index: number): number {
  let removed = 0;
  for (let last = stored.last(); last !== undefined && last.index > index; last = stored.last()) {
    stored.remove(last);
    removed++;
  }
  return removed;
}

/** Leaves of a checkpoint's messages, in order. */
export function messagesOfCheckpoint(stored: Messages, checkpoint: number): Uint8Array[] {
  return stored.range(firstMessageIndex(checkpoint), firstMessageIndex(checkpoint + 1)).map((m) => m.leaf);
}
