import { randomBytes } from "node:crypto";
import { RPC } from "@libp2p/gossipsub/message";
import { compressSync } from "snappy";
import type { Topic } from "../../../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../../../src/p2p/gossip/topic.ts";
import { wrapMessage } from "../../../../src/protocol/consensus/gossip-wrapper.ts";
import type { AttackStage } from "./attack.ts";
import { GOSSIP, type HostilePeer, many, persist, send } from "./hostile-peer.ts";
import { VERSION } from "./target.ts";

/** Name of a topic of the network. */
export const nameOf = (topic: Topic) => topicString(topic, VERSION);

export function varint(value: number): Uint8Array {
  const bytes: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Uint8Array.from([...bytes, left]);
    bytes.push((left % 128) | 0x80);
  }
}

/** A frame of the gossip stream. */
export function frame(bytes: Uint8Array): Uint8Array {
  return Buffer.concat([varint(bytes.length), bytes]);
}

export function rpc(parts: Partial<RPC>): Uint8Array {
  return frame(RPC.encode({ subscriptions: [], messages: [], ...parts }));
}

export function control(parts: Partial<RPC.ControlMessage>): Uint8Array {
  return rpc({ control: { ihave: [], iwant: [], graft: [], prune: [], idontwant: [], ...parts } });
}

/** Compressed message with this payload. */
export function compressed(payload: Uint8Array): Uint8Array {
  return compressSync(wrapMessage(payload));
}

/** A payload that the subject's topics accept, of this size and unlike all others. */
export function validPayload(bytes: number): Uint8Array {
  return Buffer.concat([Buffer.from("valid "), randomBytes(bytes)]);
}

export function invalidPayload(bytes: number): Uint8Array {
  return Buffer.concat([Buffer.from("bad "), randomBytes(bytes)]);
}

const SUBSCRIBED = rpc({
  subscriptions: (["tx", "block_proposal", "checkpoint_proposal", "checkpoint_attestation"] as const).map((topic) => ({
    topic: nameOf(topic),
    subscribe: true,
  })),
});

/** A gossip stream of a peer that has subscribed to all topics. */
export async function gossipStream(peer: HostilePeer, signal: AbortSignal) {
  const stream = await peer.stream(GOSSIP, signal);
  stream.send(SUBSCRIBED);
  return stream;
}

/** Peers that send one frame after the other; a frame counts as `units`. */
export function frameFlood(name: string, peers: number, next: () => Uint8Array, units = 1) {
  return {
    name,
    run: (stage: AttackStage) =>
      many(peers, () =>
        persist(stage, async (peer) => {
          const stream = await gossipStream(peer, stage.signal);
          while (!stage.signal.aborted) {
            await send(stream, next());
            stage.counts.sent += units;
          }
        }),
      ),
  };
}
