import { expect, test } from "vitest";
import { snappyTransform } from "../../../src/p2p/gossip/gossip-service.ts";
import { fastKeys, messageId, messageIdText } from "../../../src/p2p/gossip/message-id.ts";
import { MAX_MESSAGE_BYTES } from "../../../src/p2p/gossip/topic.ts";
import { fromHex, mapKey, toHex } from "../../../src/protocol/bytes.ts";
import { gossipVectors } from "../support/gossip-vectors.ts";

const { messages } = gossipVectors();
const transform = snappyTransform(() => MAX_MESSAGE_BYTES);

test.each(messages)("the message id of $name is the network's", ({ topic, compressed, messageId: id, wrapped }) => {
  const message = transform.inboundTransform(topic, fromHex(compressed));
  if (wrapped !== undefined) expect(toHex(message)).toBe(wrapped);
  expect(toHex(messageId(topic, message))).toBe(id);
  expect(messageIdText(mapKey(messageId(topic, message)))).toBe(id);
  const again = transform.inboundTransform(topic, transform.outboundTransform(topic, message));
  expect(Buffer.compare(again, message)).toBe(0);
});

test("the fast key differs by data, by topic and by process", async () => {
  const topics = ["a", "b"];
  const [mine, another] = [await fastKeys(topics), await fastKeys(topics)];
  const data = Uint8Array.of(1, 2, 3);
  const key = mine({ topic: "a", data });
  expect(mine({ topic: "a", data: Uint8Array.of(1, 2, 3) })).toBe(key);
  expect(mine({ topic: "b", data })).not.toBe(key);
  expect(mine({ topic: "a", data: Uint8Array.of(1, 2, 4) })).not.toBe(key);
  expect(another({ topic: "a", data })).not.toBe(key);
});
