import { expect, test, vi } from "vitest";
import type { DiscoveredPeer } from "../../../src/p2p/discovery/peer-discovery.ts";
import type { HandshakeOutcome } from "../../../src/p2p/peers/handshake.ts";
import { PeerConnections } from "../../../src/p2p/peers/peer-connections.ts";
import { PeerScores } from "../../../src/p2p/peers/peer-scores.ts";
import { ProtectedPeers } from "../../../src/p2p/peers/protected-peers.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { FakeHost } from "../../world/p2p/fake-host.ts";

const peer = (id: string): DiscoveredPeer => ({ id, address: "/ip4/127.0.0.1/tcp/1", enr: `enr:${id}` });

interface Setup {
  maxPeers?: number;
  trusted?: DiscoveredPeer[];
  handshake?: (id: string) => HandshakeOutcome;
}

function connections({ maxPeers = 5, trusted = [], handshake = () => ({ passed: true }) }: Setup = {}) {
  const host = new FakeHost();
  const clock = { now: 0 };
  const goodbyes: [string, number][] = [];
  const found: ((peer: DiscoveredPeer) => void)[] = [];
  const queries = vi.fn(async () => {});
  const scores = new PeerScores({ penalties: [2, 10, 50], now: () => clock.now, logger: silentLogger });
  const service = new PeerConnections(
    {
      host,
      client: {
        async request(id, protocol, [reason]) {
          expect(protocol).toBe("goodbye");
          goodbyes.push([id, reason]);
          return { status: 127, body: new Uint8Array() };
        },
      },
      discovery: {
        onPeer(listener) {
          found.push(listener);
          return () => void found.splice(found.indexOf(listener), 1);
        },
        query: queries,
      },
      scores,
      protectedPeers: new ProtectedPeers({ trusted, private: [], preferred: [] }),
      handshake: { check: async (id) => handshake(id) },
      now: () => clock.now,
      logger: silentLogger,
    },
    { maxPeers, heartbeatMs: 1e6 },
  );
  service.start();
  return { host, clock, goodbyes, scores, service, queries, discover: (id: string) => found[0](peer(id)) };
}

const settle = () => new Promise((resolve) => setImmediate(resolve));

test("a discovered peer is dialled while places are free, and kept for later otherwise", async () => {
  const { host, discover, service } = connections({ maxPeers: 2 });
  for (const id of ["a", "b", "c"]) discover(id);
  await settle();
  expect(host.dialled).toEqual(["a", "b"]);
  expect(service.peers(true).map(({ id, status }) => [id, status])).toEqual([
    ["a", "connected"],
    ["b", "connected"],
    ["c", "cached"],
  ]);
  await host.hangUp("a");
  await service.heartbeat();
  await settle();
  expect(host.dialled).toEqual(["a", "b", "c"]);
});

test("listed peers are dialled at the start and again whenever they are away", async () => {
  const { host, service } = connections({ trusted: [peer("trusted")] });
  await settle();
  expect(host.dialled).toEqual(["trusted"]);
  await host.hangUp("trusted");
  await service.heartbeat();
  await settle();
  expect(host.isConnected("trusted")).toBe(true);
});

test("a peer that fails the handshake is disconnected and not dialled again soon", async () => {
  const { host, discover } = connections({
    handshake: (id) => (id === "stranger" ? { passed: false, reason: "another network" } : { passed: true }),
  });
  discover("stranger");
  discover("friend");
  await settle();
  expect(host.peers().map(({ id }) => id)).toEqual(["friend"]);
  discover("stranger");
  await settle();
  expect(host.dialled).toEqual(["stranger", "friend"]);
});

test("a heartbeat says goodbye to peers of low score, banned ones and those too many, but to no protected peer", async () => {
  const { host, scores, service, goodbyes } = connections({ maxPeers: 3, trusted: [peer("trusted")] });
  await settle();
  for (const id of ["low", "banned", "x", "y", "z"]) host.connect(id, false);
  for (const id of ["low", "low", "banned", "banned", "banned", "trusted", "trusted", "trusted"]) {
    scores.penalize(id, "low", "");
  }
  await service.heartbeat();
  expect(goodbyes.sort()).toEqual([
    ["banned", 4],
    ["low", 3],
    ["z", 2],
  ]);
  expect(host.peers().map(({ id }) => id)).toEqual(["trusted", "x", "y"]);
});

test("discovery is queried only while peers are wanted", async () => {
  const { host, service, queries } = connections({ maxPeers: 1 });
  await service.heartbeat();
  expect(queries).toHaveBeenCalledTimes(1);
  host.connect("a", false);
  await service.heartbeat();
  expect(queries).toHaveBeenCalledTimes(1);
});

test("a peer that says goodbye is disconnected, and dialled again only if it restarts", async () => {
  const { host, service, discover } = connections();
  for (const id of ["restarting", "full"]) host.connect(id, false);
  service.goodbyeReceived("restarting", 1);
  service.goodbyeReceived("full", 2);
  expect(host.peers()).toEqual([]);
  for (const id of ["restarting", "full"]) discover(id);
  await settle();
  expect(host.dialled).toEqual(["restarting"]);
});

test("a stop says goodbye to all peers with the reason shutdown", async () => {
  const { host, service, goodbyes } = connections();
  for (const id of ["a", "b"]) host.connect(id);
  await service.stop();
  expect(goodbyes).toEqual([
    ["a", 1],
    ["b", 1],
  ]);
  expect(host.peers()).toEqual([]);
});
