import type { PeerDiscovery } from "../../../src/p2p/discovery/peer-discovery.ts";
import { DEFAULT_MESH } from "../../../src/p2p/gossip/gossip-service.ts";
import { TOPICS, type Topic } from "../../../src/p2p/gossip/publisher.ts";
import { type GossipOutcome, TOPIC_RULES } from "../../../src/p2p/gossip/topic.ts";
import { generatePeerIdentity, type PeerIdentity } from "../../../src/p2p/identity/peer-identity.ts";
import { createPeerNode, type PeerNode, type PeerNodeSettings } from "../../../src/p2p/peer-node.ts";
import { StatusHandshake } from "../../../src/p2p/peers/status-handshake.ts";
import type { RequestHandlers } from "../../../src/p2p/reqresp/request-handler.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";

export const VERSION = "00-31337-603bb2c0-7-2672340d-1dd2644a";

/** A node on loopback whose topics accept every message. */
export interface TestPeer {
  node: PeerNode;
  /** Protocol version string. */
  version: string;
  identity: PeerIdentity;
  received: [Topic, string][];
  /** Listed by others, this peer is dialled by them. */
  asListed(): { id: string; address: string; enr: string };
}

const started: PeerNode[] = [];

export async function stopPeers(): Promise<void> {
  await Promise.all(started.splice(0).map((node) => node.stop()));
}

export interface TestNodeOptions {
  /** Override the defaults. */
  settings?: Partial<PeerNodeSettings>;
  /** Says what topics say of messages; all are accepted by default. */
  validate?: TopicVerdict;
  /** Answer requests besides ping, status and goodbye. */
  handlers?: RequestHandlers;
  discovery?: PeerDiscovery;
}

type TopicVerdict = (topic: Topic, payload: Uint8Array) => GossipOutcome;

/** Creates a node on loopback without starting it. */
export function createTestNode({
  settings = {},
  validate = () => ({ result: "accept" }),
  handlers = {},
  discovery,
}: TestNodeOptions): Promise<PeerNode> {
  const { version = VERSION, identity = generatePeerIdentity() } = settings;
  const status = () => ({ version, latestBlock: 1, latestHash: "", finalizedBlock: 0 });
  return createPeerNode({
    settings: {
      identity,
      version,
      listen: { address: "127.0.0.1", port: 0 },
      announce: undefined,
      userAgent: "test",
      maxPeers: 10,
      heartbeatMs: 1_000,
      penalties: [2, 10, 50],
      mesh: { ...DEFAULT_MESH, heartbeatMs: 200 },
      network: {
        slotDurationMs: 24_000,
        heartbeatMs: 200,
        committeeSize: 4,
        blockDurationMs: undefined,
        blockProposalsPerSlot: 0,
      },
      seenMessages: 1_000,
      limitPerAddress: false,
      instrumented: false,
      listed: { trusted: [], private: [], preferred: [] },
      ...settings,
    },
    discovery,
    services: ({ client }) => ({
      topics: TOPICS.map((name) => ({
        ...TOPIC_RULES[name],
        name,
        validate: (payload: Uint8Array) => validate(name, payload),
      })),
      handlers,
      handshake: new StatusHandshake(client, status),
      status,
    }),
    now: Date.now,
    loggerFor: () => silentLogger,
  });
}

/** Starts a node; `settings` override the defaults, and `verdict` says what topics say of messages. */
export async function testPeer(
  settings: Partial<PeerNodeSettings> = {},
  verdict: TopicVerdict = () => ({ result: "accept" }),
  more: Pick<TestNodeOptions, "handlers" | "discovery"> = {},
): Promise<TestPeer> {
  const received: [Topic, string][] = [];
  const { version = VERSION, identity = generatePeerIdentity() } = settings;
  const node = await createTestNode({
    ...more,
    settings: { ...settings, identity },
    validate(topic, payload) {
      const outcome = verdict(topic, payload);
      received.push([topic, Buffer.from(payload).toString()]);
      return outcome;
    },
  });
  await node.start();
  started.push(node);
  return {
    node,
    version,
    identity,
    received,
    asListed() {
      const [address] = node.host.getMultiaddrs().map((each) => each.toString().replace(/\/p2p\/.*/, ""));
      return { id: node.peers.id, address, enr: "" };
    },
  };
}
