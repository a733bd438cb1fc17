import fc from "fast-check";
import { afterEach, beforeEach, expect, test } from "vitest";
import { MessageOrderError } from "../../src/archiver/errors.ts";
import { insertMessages, messagesOfCheckpoint, removeMessagesAfter } from "../../src/archiver/message-chain.ts";
import type { InboxMessage } from "../../src/l1/types.ts";
import { fromHex, toHex } from "../../src/protocol/bytes.ts";
import { firstMessageIndex, nextRollingHash } from "../../src/protocol/l1-to-l2-message.ts";
import { dump, openChain } from "../world/archiver/open-chain.ts";
import { seeded } from "../world/archiver/synthetic-chain.ts";
import { type L1Vectors, readVectors } from "../world/archiver/vectors.ts";

let opened: ReturnType<typeof openChain>;
beforeEach(() => {
  opened = openChain();
});
afterEach(() => opened.close());

/** Messages of an inbox: `counts[i]` messages in checkpoint i + 2. */
function inbox(counts: number[], salt = ""): InboxMessage[] {
  const messages: InboxMessage[] = [];
  counts.forEach((count, i) => {
    for (let k = 0; k < count; k++) {
      const index = firstMessageIndex(i + 2) + k;
      const leaf = seeded(`message ${salt} ${index}`);
      const rollingHash = nextRollingHash(messages.at(-1)?.rollingHash ?? new Uint8Array(16), leaf);
      const l1BlockNumber = 20 + messages.length;
      messages.push({
        checkpointNumber: i + 2,
        index,
        leaf,
        rollingHash,
        l1BlockNumber,
        l1BlockHash: seeded(`${l1BlockNumber}`),
      });
    }
  });
  return messages;
}

const insert = (messages: InboxMessage[]) =>
  opened.store.transaction(() => insertMessages(opened.chain.messages, messages));

test("L1-to-L2 messages are found by index, by leaf and by checkpoint", () => {
  const messages = inbox([2, 0, 3]);
  insert(messages);
  const { messages: stored } = opened.chain;
  expect(stored.count()).toBe(5);
  expect(stored.last()?.index).toBe(messages[4].index);
  expect(opened.chain.messageIndex(messages[3].leaf)).toBe(messages[3].index);
  expect(opened.chain.messageIndex(seeded("unknown"))).toBeUndefined();
  expect(messagesOfCheckpoint(stored, 2).map(toHex)).toEqual(messages.slice(0, 2).map((m) => toHex(m.leaf)));
  expect(messagesOfCheckpoint(stored, 3)).toEqual([]);
  expect(stored.before(messages[2].index)?.index).toBe(messages[1].index);
  expect(stored.before(messages[0].index)).toBeUndefined();
});

test("L1-to-L2 messages of a recorded inbox are accepted", () => {
  const { events } = readVectors<L1Vectors>("l1.json").scenario.l1ToL2;
  insert(
    events.map((e) => ({
      checkpointNumber: e.checkpointNumber,
      index: Number(e.index),
      leaf: fromHex(e.leaf),
      rollingHash: fromHex(e.rollingHash),
      l1BlockNumber: 1,
      l1BlockHash: seeded("1"),
    })),
  );
  expect(opened.chain.messages.count()).toBe(events.length);
});

test("L1-to-L2 messages may be added again with another L1 block", () => {
  const messages = inbox([3]);
  insert(messages);
  insert(messages.slice(1).map((m) => ({ ...m, l1BlockNumber: 99 })));
  expect(opened.chain.messages.count()).toBe(3);
  expect(opened.chain.messages.get(messages[1].index)?.l1BlockNumber).toBe(99);
});

test("a batch of L1-to-L2 messages is refused as a whole if one of them does not continue the chain", () => {
  const messages = inbox([2, 2]);
  const other = inbox([2, 2], "other");
  const cases: [string, InboxMessage[], RegExp][] = [
    ["rolling hash", [other[0], messages[1]], /rolling hash must continue/],
    ["older", [messages[0], messages[1], other[0]], /must come after message/],
    ["checkpoint", [{ ...messages[0], checkpointNumber: 3 }], /must be one of checkpoint 3/],
    ["gap", [messages[0], { ...messages[1], index: messages[1].index + 1 }], /index must be 1025/],
    ["start", [{ ...messages[0], index: messages[0].index + 1 }], /index must be 1024/],
  ];
  const before = dump(opened.store);
  for (const [name, list, rule] of cases) {
    expect(() => insert(list), name).toThrow(rule);
    expect(() => insert(list), name).toThrow(MessageOrderError);
    expect(dump(opened.store), name).toEqual(before);
  }
});

test("removing L1-to-L2 messages leaves the rows as they were before they were added", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(4), { maxLength: 5 }), fc.nat(20), (counts, keep) => {
      const messages = inbox(counts);
      const kept = messages.slice(0, keep);
      insert(kept);
      const before = dump(opened.store);
      insert(messages.slice(keep));
      const last = kept.at(-1)?.index ?? -1;
      const removed = opened.store.transaction(() => removeMessagesAfter(opened.chain.messages, last));
      expect(removed).toBe(messages.length - kept.length);
      expect(dump(opened.store)).toEqual(before);
      opened.store.transaction(() => removeMessagesAfter(opened.chain.messages, -1));
      expect(opened.chain.messages.count()).toBe(0);
    }),
    { numRuns: 30 },
  );
});
