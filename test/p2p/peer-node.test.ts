import { execFile } from "node:child_process";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, test, vi } from "vitest";
import { TOPICS } from "../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../src/p2p/gossip/topic.ts";
import { decodeStatus } from "../../src/p2p/reqresp/codecs/status-message.ts";
import { stopPeers, type TestPeer, testPeer, VERSION } from "../world/p2p/peer-nodes.ts";

const WAIT = { timeout: 60_000, interval: 50 };

afterEach(stopPeers);

const connected = ({ node }: TestPeer) =>
  node.connections
    .peers(false)
    .map(({ id }) => id)
    .sort();

function meshed({ node }: TestPeer): number[] {
  return TOPICS.map((topic) => node.host.services.gossip.getMeshPeers(topicString(topic, VERSION)).length);
}

test("listed peers mesh on all topics, and a message goes on to peers of peers", async () => {
  const a = await testPeer();
  const b = await testPeer({ listed: { trusted: [a.asListed()], private: [], preferred: [] } });
  const c = await testPeer({ listed: { trusted: [], private: [b.asListed()], preferred: [] } });
  await vi.waitFor(() => {
    expect(meshed(a)).toEqual([1, 1, 1, 1]);
    expect(meshed(b)).toEqual([2, 2, 2, 2]);
    expect(meshed(c)).toEqual([1, 1, 1, 1]);
  }, WAIT);
  for (const topic of TOPICS) a.node.publisher.publish(topic, Buffer.from(`of ${topic}`));
  const expected = TOPICS.map((topic) => [topic, `of ${topic}`]).sort();
  await vi.waitFor(() => {
    expect(b.received.toSorted()).toEqual(expected);
    expect(c.received.toSorted()).toEqual(expected);
  }, WAIT);
  expect(a.received).toEqual([]);
});

test("peers answer requests in both directions over one connection", async () => {
  const a = await testPeer();
  const b = await testPeer({ listed: { trusted: [a.asListed()], private: [], preferred: [] } });
  await vi.waitFor(() => expect(connected(a)).toEqual([b.node.peers.id]), WAIT);
  for (const [from, to] of [
    [a, b],
    [b, a],
  ]) {
    const pong = await from.node.client.request(to.node.peers.id, "ping", Buffer.from("ping"));
    expect([pong.status, Buffer.from(pong.body).toString()]).toEqual([0, "pong"]);
    const { status, body } = await from.node.client.request(to.node.peers.id, "status", Buffer.from("x"));
    expect([status, decodeStatus(body).version]).toEqual([0, VERSION]);
  }
});

test("a peer of another network is disconnected, and one of this network stays", async () => {
  const a = await testPeer();
  const stranger = await testPeer({
    version: "00-31337-603bb2c0-8-2672340d-1dd2644a",
    listed: { trusted: [a.asListed()], private: [], preferred: [] },
  });
  const friend = await testPeer({ listed: { trusted: [a.asListed()], private: [], preferred: [] } });
  await vi.waitFor(() => expect(connected(a)).toEqual([friend.node.peers.id]), WAIT);
  await vi.waitFor(() => expect(connected(stranger)).toEqual([]), WAIT);
});

test("a peer that sends invalid messages is disconnected by low score and refused when it comes back", async () => {
  const a = await testPeer({}, () => ({ result: "reject", tolerance: "low", reason: "invalid" }));
  const bad = await testPeer({ listed: { trusted: [a.asListed()], private: [], preferred: [] } });
  await vi.waitFor(() => expect([...meshed(a), ...meshed(bad)]).toEqual([1, 1, 1, 1, 1, 1, 1, 1]), WAIT);
  for (let i = 0; i < 3; i++) bad.node.publisher.publish("tx", Buffer.from(`${i}`));
  await vi.waitFor(() => expect(a.node.scores.health(bad.node.peers.id)).toBe("banned"), WAIT);
  await vi.waitFor(() => expect(connected(a)).toEqual([]), WAIT);
  // It dials at each of its heartbeats.
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  expect(connected(a)).toEqual([]);
});

test("a node that stops says goodbye and is dialled again after it is back", async () => {
  const a = await testPeer();
  const b = await testPeer({ listed: { trusted: [a.asListed()], private: [], preferred: [] } });
  await vi.waitFor(() => expect(connected(b)).toEqual([a.node.peers.id]), WAIT);
  const { port } = new URL(a.asListed().address.replace("/ip4/", "http://").replace("/tcp/", ":"));
  await a.node.stop();
  await vi.waitFor(() => expect(connected(b)).toEqual([]), WAIT);
  const back = await testPeer({
    identity: { ...a.identity },
    listen: { address: "127.0.0.1", port: Number(port) },
  });
  await vi.waitFor(() => expect(connected(back)).toEqual([b.node.peers.id]), WAIT);
});

test("a node whose start fails, or that is stopped while it starts, leaves neither sockets nor timers", async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, "stopping-nodes.ts")], {
    timeout: 120_000,
  });
  expect(JSON.parse(stdout)).toEqual({
    "discovery fails": { outcome: "the UDP port is taken", discoveryStops: 1 },
    "the TCP port is taken": { outcome: expect.stringContaining("EADDRINUSE"), discoveryStops: 0 },
    "stopped while it starts": { outcome: "ended", discoveryStops: 1 },
    "stopped before it starts": { outcome: "ended", discoveryStops: 0 },
    "stopped twice": { outcome: "ended", discoveryStops: 1 },
  });
});

test("a listed peer with the score of a banned one can still connect", async () => {
  const friend = await testPeer();
  const a = await testPeer({
    listed: { trusted: [friend.asListed()], private: [], preferred: [] },
    heartbeatMs: 60_000,
  });
  await vi.waitFor(() => expect(connected(a)).toEqual([friend.node.peers.id]), WAIT);
  for (let i = 0; i < 3; i++) a.node.scores.penalize(friend.node.peers.id, "low", "test");
  await a.node.peers.hangUp(friend.node.peers.id);
  await vi.waitFor(() => expect(connected(friend)).toEqual([]), WAIT);
  await friend.node.peers.dial(a.node.peers.id, a.asListed().address, AbortSignal.timeout(60_000));
  await vi.waitFor(() => expect(connected(a)).toEqual([friend.node.peers.id]), WAIT);
});
