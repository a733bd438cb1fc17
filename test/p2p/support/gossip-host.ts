import { generateKeyPair } from "@libp2p/crypto/keys";
import type { Tolerance } from "../../../src/mempool/validation/gossip-checks.ts";
import { GossipReceiver, type GossipReceiverOptions } from "../../../src/p2p/gossip/gossip-receiver.ts";
import {
  DEFAULT_MESH,
  type GossipSettings,
  gossipPublisher,
  gossipService,
} from "../../../src/p2p/gossip/gossip-service.ts";
import { type GossipPublisher, TOPICS, type Topic } from "../../../src/p2p/gossip/publisher.ts";
import { type GossipTopic, TOPIC_RULES, type TopicValidator, topicString } from "../../../src/p2p/gossip/topic.ts";
import { createHost, type Host, type HostOptions } from "../../../src/p2p/host/create-host.ts";
import { silentLogger } from "../../../src/telemetry/logger.ts";
import { wrapper } from "../live/decoders.ts";
import { gossipVectors } from "./gossip-vectors.ts";

export const { version: VERSION } = gossipVectors();

export interface GossipHost {
  host: Host;
  id: string;
  receiver: GossipReceiver;
  publisher: GossipPublisher;
  penalties: { peer: string; tolerance: Tolerance; reason: string }[];
  errors: unknown[];
  /** Dials another host and waits until both have it in all meshes. */
  join(other: GossipHost): Promise<void>;
  stop(): Promise<void>;
}

export interface GossipHostOptions {
  validators?: Partial<Record<Topic, TopicValidator>>;
  topics?: readonly GossipTopic[];
  settings?: Partial<GossipSettings>;
  host?: Partial<HostOptions>;
  receiver?: Partial<GossipReceiverOptions>;
}

/** Rows of all topics, whose validators accept everything unless they are given. */
export function topicRows(validators: Partial<Record<Topic, TopicValidator>> = {}): GossipTopic[] {
  return TOPICS.map((name) => ({
    name,
    ...TOPIC_RULES[name],
    validate: validators[name] ?? (() => ({ result: "accept" })),
  }));
}

/** Waits for a condition. */
export async function until(what: string, holds: () => boolean, ms = 60_000): Promise<void> {
  for (const end = Date.now() + ms; !holds(); ) {
    if (Date.now() > end) throw new Error(`waited in vain: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const SETTINGS: GossipSettings = {
  version: VERSION,
  mesh: DEFAULT_MESH,
  directPeers: [],
  applicationScore: () => 0,
  penalizeColocation: false,
  network: {
    slotDurationMs: 24_000,
    heartbeatMs: 700,
    committeeSize: 4,
    blockDurationMs: 5_000,
    blockProposalsPerSlot: 0,
  },
};

/** Starts a host on a free port of the loopback that receives and publishes on all topics. */
export async function gossipHost(options: GossipHostOptions = {}): Promise<GossipHost> {
  const { validators, topics = topicRows(validators), settings, receiver: receiving } = options;
  const host = await createHost({
    privateKey: await generateKeyPair("secp256k1"),
    listen: ["/ip4/127.0.0.1/tcp/0"],
    announce: [],
    maxPeers: 100,
    userAgent: "svc-test",
    refuses: { address: () => false, peer: () => false },
    limitPerAddress: false,
    gossip: await gossipService({ ...SETTINGS, ...settings }),
    ...options.host,
  });
  const router = host.services.gossip;
  const penalties: GossipHost["penalties"] = [];
  const errors: unknown[] = [];
  const logger = { ...silentLogger, error: (facts: object) => void errors.push(facts) };
  const receiver = new GossipReceiver({
    router,
    topics,
    version: VERSION,
    penalties: { penalize: (peer, tolerance, reason) => void penalties.push({ peer, tolerance, reason }) },
    seenMessages: 100_000,
    deadlineMs: 4_200,
    wrapper,
    logger,
    ...receiving,
  });
  await host.start();
  receiver.start();
  const started: GossipHost = {
    host,
    id: host.peerId.toString(),
    receiver,
    publisher: gossipPublisher({ router, version: VERSION, logger, wrapper }),
    penalties,
    errors,
    async join(other) {
      await host.dial(other.host.getMultiaddrs());
      const meshed = (one: GossipHost, peer: GossipHost) =>
        TOPICS.every((topic) => one.host.services.gossip.getMeshPeers(topicString(topic, VERSION)).includes(peer.id));
      await until("both hosts are in each other's meshes", () => meshed(started, other) && meshed(other, started));
    },
    async stop() {
      receiver.stop();
      await host.stop();
    },
  };
  return started;
}
