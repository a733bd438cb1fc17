import { createHash, randomBytes } from "node:crypto";
import { RPC } from "@libp2p/gossipsub/message";
import { compressSync } from "snappy";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import { forgetScore } from "../../../src/p2p/patches/gossipsub/harden-router.ts";
import type { RouterInternals } from "../../../src/p2p/patches/gossipsub/router-internals.ts";
import { drained } from "../../../src/p2p/reqresp/stream-io.ts";
import { wrapper } from "../live/decoders.ts";
import { type GossipHost, gossipHost, until, VERSION } from "../support/gossip-host.ts";
import { HostilePeer, varint } from "./hostile-peer.ts";
import "../../support/soak.ts";

const TX = topicString("tx", VERSION);
const BLOCK = topicString("block_proposal", VERSION);
const MIB = 2 ** 20;

let target: GossipHost;
let honest: GossipHost;
let attackers: HostilePeer[] = [];
/** Payloads that the target's validators got from the honest peer, and the honest peer from the target. */
const arrived = { atTarget: new Set<string>(), atHonest: new Set<string>() };

beforeAll(async () => {
  const noting = (into: Set<string>) => (payload: Uint8Array) => {
    const text = Buffer.from(payload).toString();
    if (text.startsWith("honest")) into.add(text);
    const isFine = text.startsWith("honest") || text.startsWith("valid");
    return isFine ? ({ result: "accept" } as const) : ({ result: "reject", tolerance: "low" } as const);
  };
  const both = (into: Set<string>) => ({ tx: noting(into), block_proposal: noting(into) });
  target = await gossipHost({ validators: both(arrived.atTarget) });
  honest = await gossipHost({ validators: both(arrived.atHonest) });
  await honest.join(target);
});

afterEach(async () => {
  await Promise.all(attackers.map((peer) => peer.stop()));
  attackers = [];
});

afterAll(async () => {
  await Promise.all([target.stop(), honest.stop()]);
});

async function attacker(): Promise<HostilePeer> {
  const peer = await HostilePeer.connect(target);
  attackers.push(peer);
  await until("the target knows the attacker", () =>
    target.host.services.gossip.getPeers().some((known) => known.toString() === peer.id),
  );
  return peer;
}

let messages = 0;

/** Messages of the honest peer and of the target still arrive, and both stay connected. */
async function honestPeersNoticeNothing(): Promise<void> {
  const names = ["tx", "block_proposal"].map((topic) => `honest ${topic} ${messages++}`);
  honest.publisher.publish("tx", Buffer.from(names[0]));
  honest.publisher.publish("block_proposal", Buffer.from(names[1]));
  target.publisher.publish("tx", Buffer.from(`${names[0]} back`));
  await until("messages of the honest peer", () => names.every((name) => arrived.atTarget.has(name)));
  await until("messages of the target", () => arrived.atHonest.has(`${names[0]} back`));
  expect(target.host.getPeers().map(String)).toContain(honest.id);
  expect(target.host.services.gossip.getScore(honest.id)).toBeGreaterThanOrEqual(0);
}

const control = (parts: Partial<RPC.ControlMessage>): Partial<RPC> => ({
  control: { ihave: [], iwant: [], graft: [], prune: [], idontwant: [], ...parts },
});
const ids = (count: number) => Array.from({ length: count }, (_, i) => idOf(i));
const idOf = (i: number) => new Uint8Array(createHash("sha256").update(`${i}`).digest().subarray(0, 20));
const message = (text: string, topic = TX) => ({ topic, data: compressSync(wrapper.wrap(Buffer.from(text), "tx")) });
const repeated = (count: number, of: (i: number) => Uint8Array | Partial<RPC>) =>
  Array.from({ length: count }, (_, i) => of(i));

interface Attack {
  name: string;
  /** Bytes are frames, objects are encoded. */
  frames(): (Uint8Array | Partial<RPC>)[];
  /** What becomes of the attacker. */
  ends: "disconnected" | "score below zero" | "unharmed" | "either";
}

const ATTACKS: Attack[] = [
  { name: "frames of random bytes", frames: () => repeated(500, () => randomBytes(200)), ends: "score below zero" },
  { name: "empty frames", frames: () => repeated(5_000, () => new Uint8Array(0)), ends: "unharmed" },
  {
    name: "snappy blocks that declare 4 GiB",
    frames: () =>
      repeated(50, (i) => ({ messages: [{ topic: TX, data: Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, i) }] })),
    ends: "score below zero",
  },
  {
    name: "snappy blocks whose content is not what they declare",
    frames: () => repeated(50, (i) => ({ messages: [{ topic: TX, data: Uint8Array.of(0x80, 0x80, 0x10, i, 1, 2) }] })),
    ends: "score below zero",
  },
  {
    name: "messages of zeros at the topic's limit, compressed twenty to one",
    frames: () =>
      repeated(30, (i) => {
        const zeros = new Uint8Array(10 * MIB - 4);
        zeros[0] = i;
        return { messages: [{ topic: BLOCK, data: compressSync(wrapper.wrap(zeros, "block_proposal")) }] };
      }),
    ends: "score below zero",
  },
  {
    name: "messages with a sequence number",
    frames: () => repeated(20, (i) => ({ messages: [{ ...message(`valid seqno ${i}`), seqno: new Uint8Array(8) }] })),
    ends: "score below zero",
  },
  {
    name: "signed messages",
    frames: () =>
      repeated(20, (i) => ({
        messages: [{ ...message(`valid signed ${i}`), from: new Uint8Array(38), signature: new Uint8Array(64) }],
      })),
    ends: "score below zero",
  },
  {
    name: "messages without data or with bytes that are no wrapper",
    frames: () =>
      repeated(20, (i) => ({
        messages: [{ topic: TX }, { topic: TX, data: compressSync(Buffer.from([0, 0, 1, i])) }],
      })),
    ends: "score below zero",
  },
  {
    name: "messages that validators reject",
    frames: () => repeated(200, (i) => ({ messages: [message(`invalid ${i}`)] })),
    ends: "score below zero",
  },
  {
    name: "a thousand invalid messages in one frame",
    frames: () => [{ messages: Array.from({ length: 1_000 }, (_, i) => message(`invalid in one ${i}`)) }],
    ends: "score below zero",
  },
  {
    name: "more messages in a frame than it may have",
    frames: () => [{ messages: Array.from({ length: 3_000 }, (_, i) => message(`valid too many ${i}`)) }],
    ends: "score below zero",
  },
  {
    name: "messages on unknown topics",
    frames: () => repeated(200, (i) => ({ messages: [message(`valid ${i}`, `/aztec/other/${i}`)] })),
    ends: "unharmed",
  },
  {
    name: "ten thousand copies of one message",
    frames: () => repeated(10_000, () => ({ messages: [message("valid once")] })),
    ends: "unharmed",
  },
  {
    name: "a flood of valid messages",
    frames: () => repeated(3_000, (i) => ({ messages: [message(`valid flood ${i}`)] })),
    ends: "unharmed",
  },
  {
    name: "a hundred thousand ids that it claims to have, in many frames",
    frames: () => repeated(20, () => control({ ihave: [{ topicID: TX, messageIDs: ids(5_000) }] })),
    ends: "either",
  },
  {
    name: "a hundred thousand ids that it claims to have, in one frame",
    frames: () => [control({ ihave: [{ topicID: TX, messageIDs: ids(100_000) }] })],
    ends: "score below zero",
  },
  {
    name: "requests for messages that do not exist",
    frames: () => repeated(20, () => control({ iwant: [{ messageIDs: ids(5_000) }] })),
    ends: "unharmed",
  },
  {
    name: "ids that it does not want",
    frames: () => repeated(100, () => control({ idontwant: [{ messageIDs: ids(512) }] })),
    ends: "unharmed",
  },
  {
    name: "grafts and prunes in turns, with a backoff of ages",
    frames: () =>
      repeated(300, (i) =>
        control(
          i % 2 === 0
            ? { graft: [{ topicID: TX }, { topicID: "/aztec/none/0" }, {}] }
            : {
                prune: [
                  { topicID: TX, peers: [], backoff: Number.MAX_SAFE_INTEGER },
                  { topicID: "?", peers: [] },
                ],
              },
        ),
      ),
    ends: "score below zero",
  },
  {
    name: "peers to connect to instead",
    frames: () => [
      control({
        prune: [
          {
            topicID: TX,
            peers: Array.from({ length: 16 }, () => ({ peerID: randomBytes(40), signedPeerRecord: randomBytes(200) })),
          },
        ],
      }),
    ],
    ends: "unharmed",
  },
  {
    name: "subscriptions to many topics, some with a name of a mebibyte",
    frames: () => [
      ...repeated(50, (i) => ({
        subscriptions: Array.from({ length: 128 }, (_, j) => ({ subscribe: true, topic: `/aztec/${i}/${j}` })),
      })),
      { subscriptions: [{ subscribe: true, topic: "t".repeat(MIB) }, {}] },
    ],
    ends: "unharmed",
  },
  {
    name: "subscribing and leaving without end",
    frames: () => repeated(2_000, (i) => ({ subscriptions: [{ subscribe: i % 2 === 0, topic: TX }] })),
    ends: "either",
  },
];

const named = ATTACKS.map((attack) => [attack.name, attack] as const);

test.each(named)("%s do no harm to honest peers", async (_, { frames, ends }) => {
  const peer = await attacker();
  for (const frame of frames()) {
    if (!(await (frame instanceof Uint8Array ? peer.sendFrame(frame) : peer.send(frame)))) break;
  }
  await honestPeersNoticeNothing();
  const { gossip } = target.host.services;
  if (ends === "score below zero") await until("a lower score", () => gossip.getScore(peer.id) < 0);
  if (ends === "disconnected") await until("a disconnection", () => !peer.isConnected);
  if (ends === "unharmed") expect(gossip.getScore(peer.id)).toBeGreaterThanOrEqual(0);
  expect(target.errors).toEqual([]);
});

test.each([
  ["a frame above 4 MiB", [varint(4 * MIB + 1), new Uint8Array(1_000)]],
  ["a length without an end", [new Uint8Array(20).fill(0xff)]],
])("%s ends the connection of the peer that sent it", async (_, parts) => {
  const peer = await attacker();
  await peer.sendRaw(Buffer.concat(parts));
  await until("the attacker is disconnected", () => !peer.isConnected);
  await honestPeersNoticeNothing();
});

test("frames that never end and streams without number hold little memory", async () => {
  const before = process.memoryUsage().arrayBuffers;
  const peers = await Promise.all(Array.from({ length: 5 }, () => attacker()));
  for (const peer of peers) {
    const streams = await Promise.allSettled(Array.from({ length: 20 }, () => peer.openStream()));
    for (const opened of streams) {
      if (opened.status === "rejected") continue;
      try {
        opened.value.send(Buffer.concat([varint(4 * MIB), new Uint8Array(3 * MIB)]));
      } catch {
        // The target resets streams beyond its limit.
      }
    }
  }
  await honestPeersNoticeNothing();
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(300 * MIB);
});

test("messages of one frame that take long are handled in turns, between which other work goes on", async () => {
  const peer = await attacker();
  const inside = target.host.services.gossip as unknown as RouterInternals;
  let turns = 0;
  const handled: { turn: number; messages: number; control: boolean }[] = [];
  const handle = vi.spyOn(inside, "handleReceivedRpc").mockImplementation(async (from, rpc) => {
    if (from.toString() !== peer.id) return;
    handled.push({ turn: turns, messages: rpc.messages?.length ?? 0, control: rpc.control !== undefined });
    // As in the library, most of the work comes later.
    await null;
    for (const end = performance.now() + 6; performance.now() < end; );
  });
  const timer = setInterval(() => turns++, 0);
  const messages = Array.from({ length: 6 }, (_, i) => message(`valid part ${i}`));
  await peer.send({ messages, ...control({ ihave: [{ topicID: TX, messageIDs: ids(1) }] }) });
  await until("the control message", () => handled.some((part) => part.control));
  clearInterval(timer);
  handle.mockRestore();
  expect(handled.map((part) => part.messages)).toEqual([1, 1, 1, 1, 1, 1, 0]);
  expect(new Set(handled.map(({ turn }) => turn)).size).toBeGreaterThanOrEqual(3);
});

test("a peer that sends faster than its frames are handled waits, and little of what it sent is held", async () => {
  const inside = target.host.services.gossip as unknown as RouterInternals;
  const { createInboundStream, handleReceivedRpc } = inside;
  const peer = await attacker();
  let [received, handled, most] = [0, 0, 0];
  const handle = vi.spyOn(inside, "handleReceivedRpc").mockImplementation(async (from, rpc) => {
    if (from.toString() !== peer.id) return handleReceivedRpc.call(inside, from, rpc);
    for (const end = performance.now() + 6; performance.now() < end; );
    handled += FRAME_BYTES;
  });
  const create = vi.spyOn(inside, "createInboundStream").mockImplementation((from, stream) => {
    stream.addEventListener("message", ({ data }) => {
      received += data.byteLength;
      most = Math.max(most, received - handled);
    });
    createInboundStream(from, stream);
  });
  // 20 MiB, and three seconds of work.
  const FRAME_BYTES = 40 * 1024;
  const frame = RPC.encode({ subscriptions: [], messages: [{ topic: "unknown", data: new Uint8Array(FRAME_BYTES) }] });
  const stream = await peer.openStream();
  for (let i = 0; i < 500; i++) {
    stream.send(Buffer.concat([varint(frame.length), frame]));
    if (stream.writeBufferLength > MIB) await drained(stream);
  }
  await until("all frames are handled", () => handled === 500 * FRAME_BYTES, 120_000);
  handle.mockRestore();
  create.mockRestore();
  // The window of a stream, and what a run had left of the one before.
  expect(most).toBeLessThan(5 * MIB);
});

test("a peer that comes back has the score with which it left", async () => {
  const peer = await attacker();
  const { gossip } = target.host.services;
  for (let i = 0; i < 10; i++) await peer.send({ messages: [message(`invalid comeback ${i}`)] });
  await until("a bad score", () => gossip.getScore(peer.id) < -1_000);
  await target.host.hangUp(peer.host.peerId);
  await until("the peer is away", () => !peer.isConnected && peer.host.getConnections().length === 0);
  await peer.host.dial(target.host.getMultiaddrs());
  await until("the peer is back", () => gossip.getPeers().some((known) => known.toString() === peer.id));
  forgetScore(gossip, peer.id);
  expect(gossip.getScore(peer.id)).toBeLessThan(-500);
});

test("the attacked node holds little memory afterwards", async () => {
  const { external, arrayBuffers } = process.memoryUsage();
  expect(external + arrayBuffers).toBeLessThan(1_500 * MIB);
});
