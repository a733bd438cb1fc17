import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { topicString } from "../../../../src/p2p/gossip/topic.ts";
import { type GossipHost, gossipHost, VERSION } from "../../support/gossip-host.ts";

/** Private parts of the library's router. */
interface Inside {
  mesh: Map<string, Set<string>>;
  streamsOutbound: Map<string, object>;
  mcache: { put(id: { msgId: Uint8Array; msgIdStr: string }, message: object): boolean };
  score: {
    addPeer(peer: string): void;
    graft(peer: string, topic: string): void;
    score(peer: string): number;
    refreshScores(): void;
    validateMessage(id: string): void;
    duplicateMessage(from: string, id: string, topic: string): void;
    peerStats: Map<string, { topics: Record<string, { meshMessageDeliveries: number }> }>;
  };
  reportMessageValidationResult(id: string, from: string, result: string): void;
}

const TOPIC = topicString("checkpoint_proposal", VERSION);
const SLOT_S = 24;
const PEERS = ["a", "b", "c", "d"];

let host: GossipHost;
let inside: Inside;
/** Names of the peers that each message was sent to. */
const sent: string[] = [];

beforeEach(async () => {
  sent.length = 0;
  host = await gossipHost();
  inside = host.host.services.gossip as unknown as Inside;
  vi.useFakeTimers({ toFake: ["Date"] });
  inside.mesh.set(TOPIC, new Set([...PEERS, "silent"]));
  for (const peer of [...PEERS, "silent"]) {
    inside.streamsOutbound.set(peer, { push: () => void sent.push(peer), close: async () => {} });
    inside.score.addPeer(peer);
    inside.score.graft(peer, TOPIC);
  }
});

afterEach(async () => {
  vi.useRealTimers();
  inside.mesh.clear();
  inside.streamsOutbound.clear();
  await host.stop();
});

function seconds(count: number): void {
  for (let i = 0; i < count; i++) {
    vi.advanceTimersByTime(1_000);
    inside.score.refreshScores();
  }
}

/** A proposal comes from its proposer and is accepted at once: no other peer has sent it by then. */
function accept(number: number, proposer: string): void {
  const id = `proposal ${number}`;
  inside.mcache.put({ msgId: Buffer.from(id), msgIdStr: id }, { topic: TOPIC, data: Buffer.from(id) });
  inside.score.validateMessage(id);
  inside.reportMessageValidationResult(id, proposer, "accept");
}

function slot(number: number, proposer: string): void {
  accept(number, proposer);
  seconds(SLOT_S);
}

test("peers that get each proposal from this node before they can send it keep a score that is not negative", () => {
  const lowest = new Map(PEERS.map((peer) => [peer, Number.POSITIVE_INFINITY]));
  for (let i = 0; i < 75; i++) {
    // Each peer proposes three times in a row.
    slot(i, PEERS[Math.floor(i / 3) % PEERS.length]);
    for (const [peer, score] of lowest) lowest.set(peer, Math.min(score, inside.score.score(peer)));
  }
  expect(sent).toHaveLength(75 * PEERS.length);
  expect(Math.min(...lowest.values())).toBeGreaterThanOrEqual(0);
});

test("a mesh peer that never delivers a message gets a negative score, and one that stops does too", () => {
  for (let i = 0; i < 60; i++) slot(i, PEERS[i % 3]);
  expect(inside.score.score("silent")).toBeLessThan(-20);
  expect(inside.score.score("a")).toBeGreaterThan(0);
  for (let i = 60; i < 120; i++) slot(i, PEERS[i % 2]);
  expect(inside.score.score("c")).toBeLessThan(-20);
  expect(inside.score.score("a")).toBeGreaterThan(0);
});

test("a message that comes back from a peer to which this node sent it counts once", () => {
  slot(0, "b");
  slot(1, "a");
  accept(2, "a");
  const once = inside.score.peerStats.get("b")?.topics[TOPIC].meshMessageDeliveries ?? 0;
  expect(once).toBeGreaterThan(1);
  inside.score.duplicateMessage("b", "proposal 2", TOPIC);
  expect(inside.score.peerStats.get("b")?.topics[TOPIC].meshMessageDeliveries).toBe(once);
});
