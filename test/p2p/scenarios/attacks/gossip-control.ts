import { randomBytes } from "node:crypto";
import { messageId } from "../../../../src/p2p/gossip/message-id.ts";
import { TOPICS } from "../../../../src/p2p/gossip/publisher.ts";
import { wrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import type { Attack } from "./attack.ts";
import { compressed, control, frameFlood, gossipStream, nameOf, rpc, validPayload } from "./gossip-rpc.ts";
import { many, persist, send } from "./hostile-peer.ts";

const ids = (count: number) => {
  const bytes = randomBytes(20 * count);
  return Array.from({ length: count }, (_, i) => bytes.subarray(i * 20, i * 20 + 20));
};
const repeat = <T>(count: number, make: (i: number) => T): T[] => Array.from({ length: count }, (_, i) => make(i));

const manyHave = control({ ihave: repeat(20, () => ({ topicID: nameOf("tx"), messageIDs: ids(5_000) })) });
const manyWant = control({ iwant: repeat(20, () => ({ messageIDs: ids(5_000) })) });
const manyUnwanted = control({ idontwant: repeat(100, () => ({ messageIDs: ids(500) })) });
const grafts = control({ graft: repeat(128, (i) => ({ topicID: nameOf(TOPICS[i % 4]) })) });
const prunes = control({
  prune: repeat(128, (i) => ({
    topicID: nameOf(TOPICS[i % 4]),
    backoff: 4_000_000_000,
    peers: repeat(16, () => ({ peerID: randomBytes(39), signedPeerRecord: randomBytes(100) })),
  })),
});
const unknownTopics = () =>
  rpc({ subscriptions: repeat(128, () => ({ topic: randomBytes(200).toString("hex"), subscribe: true })) });
const onAndOff = rpc({
  subscriptions: repeat(128, (i) => ({ topic: nameOf(TOPICS[(i >> 1) % 4]), subscribe: i % 2 === 0 })),
});

/** Control messages and subscriptions by the thousand. */
export const CONTROL_ATTACKS: readonly Attack[] = [
  frameFlood("100,000 IHAVE ids a frame", 4, () => manyHave, 100_000),
  frameFlood("100,000 IWANT ids a frame", 4, () => manyWant, 100_000),
  frameFlood("50,000 IDONTWANT ids a frame", 4, () => manyUnwanted, 50_000),
  frameFlood("GRAFT floods", 4, () => grafts, 128),
  frameFlood("PRUNE floods with peers to exchange", 4, () => prunes, 128),
  frameFlood("GRAFT and PRUNE in turn", 4, () => Buffer.concat([grafts, prunes]), 256),
  frameFlood("subscriptions to unknown topics", 4, unknownTopics, 128),
  frameFlood("subscriptions on and off", 4, () => onAndOff, 128),
  {
    name: "IWANT of large messages by peers that do not read",
    run: (stage) => {
      const payloads = repeat(24, () => validPayload(300_000));
      const wanted = payloads.map((payload) => messageId(nameOf("tx"), wrapMessage(payload)));
      const frame = control({ iwant: [{ messageIDs: wanted }] });
      return many(8, (i) =>
        persist(
          stage,
          async (peer) => {
            const stream = await gossipStream(peer, stage.signal);
            const data = i === 0 ? payloads.map((payload) => compressed(payload)) : [];
            for (const one of data) await send(stream, rpc({ messages: [{ topic: nameOf("tx"), data: one }] }));
            while (!stage.signal.aborted) {
              await send(stream, frame);
              stage.counts.sent += wanted.length;
            }
          },
          { onGossip: (stream) => stream.pause() },
        ),
      );
    },
  },
];
