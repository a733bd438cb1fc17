import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { joinFrames } from "../../../../src/p2p/patches/gossipsub/harden-router.ts";
import type { OutboundFrames, RouterInternals } from "../../../../src/p2p/patches/gossipsub/router-internals.ts";
import { type GossipHost, gossipHost, until } from "../../support/gossip-host.ts";

let sender: GossipHost;
let receiver: GossipHost;
const arrived = new Set<string>();

beforeAll(async () => {
  sender = await gossipHost();
  receiver = await gossipHost({
    validators: {
      tx(payload) {
        arrived.add(Buffer.from(payload).toString());
        return { result: "accept" };
      },
    },
  });
  await sender.join(receiver);
});

afterAll(async () => {
  await Promise.all([sender.stop(), receiver.stop()]);
});

test("messages that are published together go to a peer as one piece", async () => {
  const { streamsOutbound } = sender.host.services.gossip as unknown as RouterInternals;
  const stream = streamsOutbound.get(receiver.id);
  if (stream === undefined) throw new Error("there is no stream to the receiver");
  const send = vi.spyOn(stream.rawStream, "send");
  for (let i = 0; i < 100; i++) sender.publisher.publish("tx", Buffer.from(`message ${i}`));
  await until("all messages", () => arrived.size === 100);
  expect(send.mock.calls.length).toBeLessThan(20);
});

/** A stream to a peer as the router has it after its creation, and what was sent on it. */
async function joinedStream() {
  const sent: string[] = [];
  const rawStream = {
    writeStatus: "writable" as OutboundFrames["rawStream"]["writeStatus"],
    send(bytes: Uint8Array) {
      if (this.writeStatus !== "writable") throw new Error("the stream is closed");
      sent.push(Buffer.from(bytes).toString("latin1"));
      return true;
    },
  };
  const stream = {
    rawStream,
    pushPrefixed: (bytes: Uint8Array) => void rawStream.send(bytes),
    async close() {
      rawStream.writeStatus = "closed";
    },
  };
  const inside = { streamsOutbound: new Map(), createOutboundStream: async () => {} };
  inside.streamsOutbound.set("peer", stream);
  joinFrames(inside as unknown as RouterInternals);
  for (let i = 0; i < 2; i++)
    await (inside as unknown as RouterInternals).createOutboundStream("peer" as never, {} as never);
  return { stream, sent };
}

const turn = () => new Promise(setImmediate);

test("frames keep their order around one that is too large to be joined", async () => {
  const { stream, sent } = await joinedStream();
  const large = Buffer.alloc(70_000, "l");
  for (const frame of [Buffer.from("a"), Buffer.from("b"), large, Buffer.from("c"), Buffer.from("d")]) {
    stream.pushPrefixed(frame);
  }
  await turn();
  expect(sent).toEqual(["ab", large.toString(), "cd"]);
});

test("frames of the turn in which a stream is closed are sent before its end", async () => {
  const { stream, sent } = await joinedStream();
  stream.pushPrefixed(Buffer.from("last"));
  await stream.close();
  await turn();
  expect(sent).toEqual(["last"]);
});

test("a frame for a closed stream is an error at once, one for a stream that closes meanwhile is dropped", async () => {
  const { stream, sent } = await joinedStream();
  stream.pushPrefixed(Buffer.from("late"));
  stream.rawStream.writeStatus = "closed";
  await turn();
  expect(sent).toEqual([]);
  expect(() => stream.pushPrefixed(Buffer.from("later"))).toThrow("closed");
});
