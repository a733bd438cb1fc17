import type { GossipSubComponents } from "@libp2p/gossipsub";
import type { Connection, PeerId } from "@libp2p/interface";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SCORE_THRESHOLDS } from "../../../../src/p2p/gossip/peer-score-params.ts";
import type { GossipRouter } from "../../../../src/p2p/patches/gossipsub/gossip-router.ts";
import { BoundedTimeCache, hardenRouter } from "../../../../src/p2p/patches/gossipsub/harden-router.ts";
import { type GossipHost, gossipHost, until } from "../../support/gossip-host.ts";

/** Private parts of the library's router. */
interface Inside {
  seenCache: unknown;
  fastMsgIdCache: unknown;
  mcache: {
    msgs: Map<string, { message: { data: Uint8Array } }>;
    put(id: { msgId: Uint8Array; msgIdStr: string }, message: object): boolean;
  };
  score: {
    deliveryRecords: { records: Map<string, unknown>; queue: { length: number }; ensureRecord(id: string): unknown };
  };
  peers: Map<string, PeerId>;
  streamsOutbound: Map<string, unknown>;
  outboundInflightQueue: { push(wanted: { peerId: PeerId; connection: Connection }): void };
  createOutboundStream(peerId: PeerId, connection: Connection): Promise<void>;
}

let host: GossipHost;
let router: GossipRouter;
let inside: Inside;

beforeEach(async () => {
  host = await gossipHost();
  router = host.host.services.gossip;
  inside = router as unknown as Inside;
});

afterEach(async () => {
  vi.restoreAllMocks();
  vi.useRealTimers();
  await host.stop();
});

const heartbeat = () => router.dispatchEvent(new CustomEvent("gossipsub:heartbeat"));

test("gossipsub's caches of seen messages have a largest size", () => {
  expect(inside.seenCache).toBeInstanceOf(BoundedTimeCache);
  expect(inside.fastMsgIdCache).toBeInstanceOf(BoundedTimeCache);
  const cache = new BoundedTimeCache<number>({ validMs: 1_000, max: 3 });
  for (let i = 0; i < 10; i++) cache.put(`${i}`, i);
  expect(["6", "7", "8", "9"].map((key) => cache.get(key))).toEqual([undefined, 7, 8, 9]);
});

test("a bounded cache keeps the first value of a key and forgets keys after their time", () => {
  let now = 0;
  const cache = new BoundedTimeCache<string>({ validMs: 100, max: 10, now: () => now });
  expect([cache.put("a", "first"), cache.put("a", "second")]).toEqual([false, true]);
  now = 50;
  cache.put("b", "b");
  now = 101;
  expect([cache.get("a"), cache.get("b")]).toEqual([undefined, "b"]);
  cache.prune();
  expect([cache.has("a"), cache.has("b"), cache.size]).toEqual([false, true, 1]);
});

test("delivery records of messages are limited in number, the oldest are dropped", () => {
  const { deliveryRecords } = inside.score;
  for (let i = 0; i < (1 << 17) + 10; i++) deliveryRecords.ensureRecord(`${i}`);
  heartbeat();
  expect(deliveryRecords.records.size).toBe(1 << 17);
  expect([deliveryRecords.records.has("9"), deliveryRecords.records.has("10")]).toEqual([false, true]);
});

test("a cached message does not keep the frame that it came in", () => {
  const frame = new Uint8Array(1 << 20);
  const put = (key: string, data: Uint8Array) => {
    inside.mcache.put({ msgId: new Uint8Array(20), msgIdStr: key }, { topic: "t", data });
    return inside.mcache.msgs.get(key)?.message.data.buffer.byteLength;
  };
  expect(put("small", frame.subarray(100, 200))).toBe(100);
  expect(put("large", frame.subarray(100))).toBe(1 << 20);
});

test("a peer that delays its stream does not delay the streams of other peers, and has one opened at a time", async () => {
  const opened: string[] = [];
  const peer = (name: string) => ({ toString: () => name }) as PeerId;
  vi.spyOn(inside, "createOutboundStream").mockImplementation((id) => {
    opened.push(id.toString());
    return id.toString() === "slow" ? new Promise(() => {}) : Promise.reject(new Error("refused"));
  });
  for (const name of ["slow", "slow", "a", "b", "a"]) {
    inside.outboundInflightQueue.push({ peerId: peer(name), connection: {} as Connection });
  }
  await new Promise(setImmediate);
  expect(opened.toSorted()).toEqual(["a", "a", "b", "slow"]);
});

test("a stream to a peer that ended while it was opened is not kept", async () => {
  const stream = (status: string) => ({
    status,
    writeStatus: status === "open" ? "writable" : "closed",
    protocol: "/meshsub/1.1.0",
    addEventListener() {},
    send: () => true,
    close: async () => {},
  });
  const opening: Promise<unknown>[] = [];
  for (const status of ["open", "closed", "reset", "aborted"]) {
    inside.peers.set(status, { toString: () => status } as PeerId);
    const newStream = () => {
      const opened = Promise.resolve(stream(status));
      opening.push(opened);
      return opened;
    };
    const connection = { newStream } as unknown as Connection;
    inside.outboundInflightQueue.push({ peerId: { toString: () => status } as PeerId, connection });
  }
  await expect.poll(() => opening.length).toBe(4);
  await new Promise(setImmediate);
  expect([...inside.streamsOutbound.keys()]).toEqual(["open"]);
});

test("a peer that has no stream for its gossip after twenty seconds is disconnected", async () => {
  const closed: string[] = [];
  const parts = {
    connectionManager: {
      closeConnections: async (id: PeerId) => void closed.push(id.toString()),
    },
  } as unknown as GossipSubComponents;
  hardenRouter(router, { seenTtlMs: 1_000, graylistThreshold: SCORE_THRESHOLDS.graylistThreshold, parts });
  vi.useFakeTimers({ toFake: ["Date"] });
  inside.peers.set("mute", { toString: () => "mute" } as PeerId);
  inside.peers.set("fine", { toString: () => "fine" } as PeerId);
  inside.streamsOutbound.set("fine", { close: async () => {}, push: () => {} });
  heartbeat();
  vi.advanceTimersByTime(15_000);
  heartbeat();
  expect(closed).toEqual([]);
  vi.advanceTimersByTime(6_000);
  heartbeat();
  expect(closed).toEqual(["mute"]);
  inside.peers.clear();
  inside.streamsOutbound.clear();
});

test("a version of gossipsub with other private parts is refused", () => {
  const parts = { connectionManager: {} } as unknown as GossipSubComponents;
  expect(() =>
    hardenRouter({} as GossipRouter, { seenTtlMs: 1, graylistThreshold: SCORE_THRESHOLDS.graylistThreshold, parts }),
  ).toThrow(/gossipsub has no seenCache/);
});

test("messages for a peer that does not read them are dropped at a limit, and reach the others", async () => {
  let got = 0;
  const reader = await gossipHost({
    validators: {
      block_proposal: () => {
        got++;
        return { result: "accept" };
      },
    },
  });
  const deaf = await gossipHost();
  try {
    await host.join(reader);
    await host.join(deaf);
    // It stops reading what this host sends.
    for (const connection of deaf.host.getConnections()) {
      for (const stream of connection.streams) if (stream.direction === "inbound") stream.pause();
    }
    const before = process.memoryUsage().arrayBuffers;
    const payload = Buffer.alloc(3_000_000);
    for (let i = 0; i < 20; i++) {
      for (let at = 0; at < payload.length; at += 4) payload.writeUInt32LE(((i + at) * 2654435761) >>> 0, at);
      host.publisher.publish("block_proposal", payload);
      await until("the reader gets the message", () => got === i + 1);
    }
    await until("the stream to the other one is reset", () => !inside.streamsOutbound.has(deaf.id));
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(400 * 2 ** 20);
  } finally {
    await Promise.all([reader.stop(), deaf.stop()]);
  }
});
