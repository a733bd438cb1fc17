import { expect, test } from "vitest";
import { readInboxMessage } from "../../../src/l1/rollup/inbox-messages.ts";
import { bigUintBytes, concat, fromHex, toHex } from "../../../src/protocol/bytes.ts";
import { DecodeError } from "../../../src/protocol/errors.ts";
import { messageCheckpoint, messageLeaf, nextRollingHash } from "../../../src/protocol/l1-to-l2-message.ts";
import { l1Vectors } from "../../world/l1/vectors.ts";

const { messages, events, state } = l1Vectors.scenario.l1ToL2;

const logOf = ({ topics, data }: { topics: string[]; data: string }) => ({
  address: "0x",
  topics: topics.map(fromHex),
  data: fromHex(data),
  blockNumber: 7,
  blockHash: new Uint8Array(32),
  transactionHash: new Uint8Array(32),
  logIndex: 1,
});

test("inbox messages are read as L1 sent them and chain to the inbox's rolling hash", () => {
  let rollingHash = new Uint8Array(16);
  messages.forEach((message, i) => {
    const read = readInboxMessage(logOf(message));
    expect({
      ...read,
      index: String(read.index),
      leaf: toHex(read.leaf),
      rollingHash: toHex(read.rollingHash),
    }).toMatchObject(events[i]);
    expect(messageCheckpoint(read.index)).toBe(read.checkpointNumber);
    rollingHash = Uint8Array.from(nextRollingHash(rollingHash, read.leaf));
    expect(toHex(rollingHash)).toBe(toHex(read.rollingHash));
  });
  expect(toHex(rollingHash)).toBe(state.rollingHash);
});

test("inbox messages hash to their leaves", () => {
  const word = (n: number | string) => bigUintBytes(BigInt(n), 32);
  messages.forEach((m, i) => {
    if (m.kind !== "direct") return;
    const leaf = messageLeaf({
      sender: concat(new Uint8Array(12), fromHex(m.sender)),
      senderChainId: word(m.chainId),
      recipient: fromHex(m.recipient.actor),
      recipientVersion: word(m.recipient.version),
      content: fromHex(m.content),
      secretHash: fromHex(m.secretHash),
      index: word(events[i].index),
    });
    expect(toHex(leaf)).toBe(events[i].leaf);
  });
});

test("an inbox message whose data or index does not match the event's rules is refused", () => {
  const log = logOf(messages[0]);
  expect(() => readInboxMessage({ ...log, data: log.data.subarray(1) })).toThrow(DecodeError);
  expect(() => readInboxMessage({ ...log, data: new Uint8Array(64).fill(255) })).toThrow(DecodeError);
});
