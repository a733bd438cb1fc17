import { setTimeout as sleep } from "node:timers/promises";
import { multiaddr } from "@multiformats/multiaddr";
import { DEFAULT_MESH } from "../../src/p2p/gossip/gossip-service.ts";
import type { Topic } from "../../src/p2p/gossip/publisher.ts";
import { TOPIC_RULES, topicString } from "../../src/p2p/gossip/topic.ts";
import { generatePeerIdentity } from "../../src/p2p/identity/peer-identity.ts";
import { createPeerNode } from "../../src/p2p/peer-node.ts";
import { StatusHandshake } from "../../src/p2p/peers/status-handshake.ts";
import { componentVersion } from "../../src/protocol/consensus/component-version.ts";
import { V4 } from "../../src/protocol/generations/v4/v4.ts";
import { silentLogger } from "../../src/telemetry/logger.ts";
import { COMMITTEE_NETWORK, type CommitteeL1 } from "./committee-l1.ts";

const MESH_LIMIT_MS = 60_000;

/** A peer of one node. It speaks the network's protocols, and accepts every message without a check. */
export interface LightPeer {
  publish(topic: Topic, payload: Uint8Array): void;
  /** Called for each message that the node forwards. */
  onMessage: (topic: Topic, payload: Uint8Array) => void;
  isConnected(): boolean;
  stop(): Promise<void>;
}

/** Connects to the node and waits until it has the node in its meshes of the topics. */
export async function joinAsLightPeer(
  l1: CommitteeL1,
  address: string,
  topics: readonly Topic[],
  { untilMeshed = true }: { untilMeshed?: boolean } = {},
): Promise<LightPeer> {
  const { l1ChainId, rollupVersion, addresses } = l1.identity;
  const version = componentVersion({ l1ChainId, rollupVersion, rollupAddress: addresses.rollupAddress }, V4.contracts);
  const status = () => ({ version, latestBlock: 0, latestHash: "", finalizedBlock: 0 });
  const peer: Pick<LightPeer, "onMessage"> = { onMessage: () => undefined };
  const node = await createPeerNode({
    settings: {
      identity: generatePeerIdentity(),
      version,
      listen: { address: "127.0.0.1", port: 0 },
      announce: undefined,
      userAgent: "svc-bench",
      maxPeers: 10,
      heartbeatMs: 30_000,
      penalties: [2, 10, 50],
      mesh: DEFAULT_MESH,
      network: {
        slotDurationMs: Number(COMMITTEE_NETWORK.AZTEC_SLOT_DURATION) * 1000,
        heartbeatMs: DEFAULT_MESH.heartbeatMs,
        committeeSize: Number(COMMITTEE_NETWORK.AZTEC_TARGET_COMMITTEE_SIZE),
        blockDurationMs: undefined,
        blockProposalsPerSlot: 0,
      },
      seenMessages: 1_000,
      limitPerAddress: false,
      instrumented: false,
      listed: { trusted: [], private: [], preferred: [] },
    },
    discovery: undefined,
    services: ({ client }) => ({
      topics: topics.map((name) => ({
        ...TOPIC_RULES[name],
        name,
        validate(payload) {
          peer.onMessage(name, payload);
          return { result: "accept" };
        },
      })),
      handlers: {},
      handshake: new StatusHandshake(client, status),
      status,
    }),
    now: Date.now,
    loggerFor: () => silentLogger,
  });
  await node.start();
  const light = Object.assign(peer, {
    publish: (topic: Topic, payload: Uint8Array) => node.publisher.publish(topic, payload),
    isConnected: () => node.host.getPeers().length > 0,
    stop: () => node.stop(),
  });
  const meshed = () =>
    topics.every((topic) => node.host.services.gossip.getMeshPeers(topicString(topic, version)).length > 0);
  const end = Date.now() + MESH_LIMIT_MS;
  try {
    // A node has its record before it listens.
    while (
      !(await node.host.dial(multiaddr(address)).then(
        () => true,
        () => false,
      ))
    ) {
      if (Date.now() > end) throw new Error(`${address} does not take connections`);
      await sleep(100);
    }
    while (untilMeshed && !meshed()) {
      if (Date.now() > end) throw new Error(`${address} did not take a peer into its meshes of ${topics}`);
      await sleep(20);
    }
    return light;
  } catch (error) {
    await light.stop();
    throw error;
  }
}
