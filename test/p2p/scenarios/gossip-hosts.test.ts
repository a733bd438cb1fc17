import { afterEach, expect, test } from "vitest";
import { TOPICS, type Topic } from "../../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import type { RouterInternals } from "../../../src/p2p/patches/gossipsub/router-internals.ts";
import { wrapper } from "../live/decoders.ts";
import {
  type GossipHost,
  type GossipHostOptions,
  gossipHost,
  topicRows,
  until,
  VERSION,
} from "../support/gossip-host.ts";

const running: GossipHost[] = [];

async function started(options?: GossipHostOptions): Promise<GossipHost> {
  const host = await gossipHost(options);
  running.push(host);
  return host;
}

afterEach(async () => {
  await Promise.all(running.splice(0).map((host) => host.stop()));
});

/** Records the payloads that a host receives, and accepts them. */
function recording() {
  const got: { topic: Topic; payload: string; from: string }[] = [];
  const validators = Object.fromEntries(
    TOPICS.map((topic) => [
      topic,
      (payload: Uint8Array, from: string) => {
        got.push({ topic, payload: Buffer.from(payload).toString(), from });
        return { result: "accept" as const };
      },
    ]),
  );
  return { got, validators };
}

test("a message published on each topic reaches a peer of a peer, once and unchanged", async () => {
  const [near, far] = [recording(), recording()];
  const sender = await started();
  const middle = await started({ validators: near.validators });
  const last = await started({ validators: far.validators });
  await sender.join(middle);
  await middle.join(last);
  for (const topic of TOPICS) sender.publisher.publish(topic, Buffer.from(`a message on ${topic}`));
  await until("all messages arrive", () => far.got.length === TOPICS.length);
  const expected = TOPICS.map((topic) => ({ topic, payload: `a message on ${topic}` }));
  expect(near.got.map(({ from }) => from)).toEqual(expected.map(() => sender.id));
  expect(far.got.map(({ from }) => from)).toEqual(expected.map(() => middle.id));
  expect(far.got.map(({ topic, payload }) => ({ topic, payload }))).toEqual(expect.arrayContaining(expected));
  expect([sender, middle, last].flatMap(({ errors }) => errors)).toEqual([]);
});

test("a rejected message is not forwarded, and its sender pays with both scores", async () => {
  const far = recording();
  const sender = await started();
  const middle = await started({
    validators: { tx: () => ({ result: "reject", tolerance: "mid", reason: "wrong" }) },
  });
  const last = await started({ validators: far.validators });
  await sender.join(middle);
  await middle.join(last);
  for (let i = 0; i < 3; i++) sender.publisher.publish("tx", Buffer.from(`tx ${i}`));
  await until("three penalties", () => middle.penalties.length === 3);
  expect(middle.penalties[0]).toEqual({ peer: sender.id, tolerance: "mid", reason: "wrong" });
  expect(middle.host.services.gossip.getScore(sender.id)).toBeLessThan(-150);
  expect(middle.receiver.counts().get("tx")).toMatchObject({ received: 3, rejected: 3, accepted: 0 });
  sender.publisher.publish("checkpoint_attestation", Buffer.from("last"));
  expect(far.got.filter(({ topic }) => topic === "tx")).toEqual([]);
});

test("a message without a readable wrapper costs its sender the largest penalty", async () => {
  const sender = await started();
  const receiver = await started();
  await sender.join(receiver);
  await sender.host.services.gossip.publish(topicString("tx", VERSION), Uint8Array.of(0, 0, 0, 9, 1));
  await until("a penalty", () => receiver.penalties.length > 0);
  expect(receiver.penalties[0]).toMatchObject({ peer: sender.id, tolerance: "low" });
  expect(receiver.host.services.gossip.getScore(sender.id)).toBeLessThan(0);
});

test("a message above its topic's limit is refused before it is decompressed, and lowers the sender's score", async () => {
  const { got, validators } = recording();
  const sender = await started();
  const receiver = await started({ validators });
  await sender.join(receiver);
  const { gossip } = sender.host.services;
  const attestation = topicString("checkpoint_attestation", VERSION);
  await gossip.publish(attestation, wrapper.wrap(new Uint8Array(5 * 1024 - 3), "checkpoint_attestation"));
  await until("a lower score", () => receiver.host.services.gossip.getScore(sender.id) < 0);
  await gossip.publish(attestation, wrapper.wrap(new Uint8Array(5 * 1024 - 4), "checkpoint_attestation"));
  await until("the message of the largest size", () => got.length === 1);
  expect(got[0].payload).toHaveLength(5 * 1024 - 4);
});

test("a validator that throws or never answers neither stops the topic nor ends the process", async () => {
  let calls = 0;
  const sender = await started();
  const receiver = await started({
    validators: {
      tx: () => {
        calls++;
        if (calls === 1) throw new Error("a defect");
        if (calls === 2) return Promise.reject(new Error("another"));
        if (calls === 3) return new Promise(() => {});
        return { result: "accept", process: () => Promise.reject(new Error("a defect of processing")) };
      },
    },
  });
  await sender.join(receiver);
  for (let i = 0; i < 5; i++) sender.publisher.publish("tx", Buffer.from(`tx ${i}`));
  await until("the others are accepted", () => receiver.receiver.counts().get("tx")?.accepted === 2);
  // One of the validator's failures in ten seconds, and those of processing.
  await until("defects are logged", () => receiver.errors.length === 3);
  expect(receiver.penalties).toEqual([]);
  expect(receiver.host.services.gossip.getScore(sender.id)).toBeGreaterThanOrEqual(0);
});

test("the host speaks the network's identify protocol and not libp2p's default one or its ping", async () => {
  const host = await started();
  const protocols = host.host.getProtocols();
  expect(protocols).toEqual(expect.arrayContaining(["/aztec/id/1.0.0", "/aztec/id/push/1.0.0", "/meshsub/1.1.0"]));
  expect(protocols.filter((protocol) => protocol.startsWith("/ipfs"))).toEqual([]);
});

test("a large message crosses many frames and windows and is forwarded", async () => {
  const { got, validators } = recording();
  const sender = await started();
  const receiver = await started({ validators });
  await sender.join(receiver);
  const payload = Buffer.alloc(3_900_000);
  for (let i = 0; i < payload.length; i += 4) payload.writeUInt32LE((i * 2654435761) >>> 0, i);
  sender.publisher.publish("block_proposal", payload);
  await until("the message", () => got.length === 1);
  expect(got[0].payload.length).toBe(payload.toString().length);
});

test("a host that leaves out a topic neither decompresses its messages nor judges their senders", async () => {
  const { got, validators } = recording();
  const others = TOPICS.filter((topic) => topic !== "tx");
  const sender = await started();
  const receiver = await started({
    topics: topicRows(validators).filter(({ name }) => name !== "tx"),
    settings: { topics: others },
  });
  await sender.host.dial(receiver.host.getMultiaddrs());
  const { gossip } = sender.host.services;
  const meshed = () => gossip.getMeshPeers(topicString("block_proposal", VERSION)).includes(receiver.id);
  await until("the hosts mesh", meshed);
  const noBlock = Uint8Array.of(255, 255, 255, 255, 255, 255);
  const { sendRpc } = gossip as unknown as RouterInternals;
  const messages = [{ topic: topicString("tx", VERSION), data: noBlock }];
  expect(sendRpc.call(gossip, receiver.id, { subscriptions: [], messages })).toBe(true);
  sender.publisher.publish("block_proposal", Buffer.from("after it"));
  await until("the next message", () => got.length === 1);
  expect(receiver.host.services.gossip.getScore(sender.id)).toBeGreaterThanOrEqual(0);
  expect(sender.host.services.gossip.getSubscribers(topicString("tx", VERSION))).toEqual([]);
});
