import { type GossipSubComponents, type GossipsubOpts, gossipsub, StrictNoSign } from "@libp2p/gossipsub";
import type { PeerId } from "@libp2p/interface";
import { multiaddr } from "@multiformats/multiaddr";
import { compressSync } from "snappy";
import { mapKey } from "../../protocol/bytes.ts";
import type { Logger } from "../../telemetry/logger.ts";
import type { GossipRouter } from "../patches/gossipsub/gossip-router.ts";
import { hardenRouter } from "../patches/gossipsub/harden-router.ts";
import { uncompressBlockSync } from "../streams/snappy-block.ts";
import { fastKeys, messageId } from "./message-id.ts";
import { type PeerScoring, peerScoreParams, SCORE_THRESHOLDS } from "./peer-score-params.ts";
import { type GossipPublisher, TOPICS, type Topic } from "./publisher.ts";
import { MAX_MESSAGE_BYTES, type MessageWrapper, TOPIC_RULES, topicString } from "./topic.ts";

/** Frames end at 4 MiB; the rest is for the topic and lengths. */
const MAX_COMPRESSED_BYTES = 4 * 2 ** 20 - 1024;

/** Gossipsub's transform of messages: raw snappy blocks, empty data unchanged. Each topic has a limit of its own. */
export function snappyTransform(limitOf: (topic: string) => number) {
  return {
    /** Throws a DecodeError; a declared size above the limit is refused before anything is decompressed. */
    inboundTransform(topic: string, data: Uint8Array): Uint8Array {
      return data.length === 0 ? data : uncompressBlockSync(data, limitOf(topic));
    },
    /** Throws a RangeError for a message that is too large for a frame. */
    outboundTransform(_topic: string, data: Uint8Array): Uint8Array {
      const block = data.length === 0 ? data : compressSync(data);
      if (block.length <= MAX_COMPRESSED_BYTES) return block;
      throw new RangeError(`a compressed message has at most ${MAX_COMPRESSED_BYTES} bytes, got ${block.length}`);
    },
  };
}

/** Mesh parameters that the operator can set. */
export interface MeshSettings {
  heartbeatMs: number;
  D: number;
  Dlo: number;
  Dhi: number;
  Dlazy: number;
  floodPublish: boolean;
  /** In heartbeats. */
  mcacheLength: number;
  mcacheGossip: number;
  seenTtlMs: number;
}

export interface GossipSettings extends PeerScoring {
  /** Topics that the node takes part in: messages of others are dropped as they came. Default all. */
  topics?: readonly Topic[];
  mesh: MeshSettings;
  /** Direct peers: gossip always goes to and comes from them, whatever their scores. `address` is multiaddr text. */
  directPeers: readonly { id: PeerId; address: string }[];
}

export const DEFAULT_MESH: MeshSettings = {
  heartbeatMs: 700,
  D: 8,
  Dlo: 4,
  Dhi: 12,
  Dlazy: 8,
  floodPublish: false,
  mcacheLength: 6,
  mcacheGossip: 3,
  seenTtlMs: 1_200_000,
};

/** Most bytes that wait for a slow peer before its stream is reset. Four of the largest frames. */
const MAX_UNSENT_BYTES = 16 * 2 ** 20;
/** Most parts of one frame; a frame with more is dropped undecoded. */
const FRAME_LIMITS = {
  maxSubscriptions: 128,
  maxMessages: 1024,
  maxIhaveMessageIDs: 5000,
  maxIwantMessageIDs: 5000,
  maxControlMessages: 128,
  maxIdontwantMessageIDs: 512,
  maxPeerInfos: 16,
};

/** Streams of one gossip protocol that a peer may open on a connection: one, and its replacement. */
const STREAMS_PER_CONNECTION = 2;

/** Time after which a verdict no longer forwards a message, in milliseconds. */
export function verdictDeadlineMs({ heartbeatMs, mcacheLength }: MeshSettings): number {
  return heartbeatMs * mcacheLength;
}

/** docs/protocol/10-peers.md#107-gossip */
async function gossipOptions(settings: GossipSettings): Promise<Partial<GossipsubOpts>> {
  const { mesh, version, directPeers, topics = TOPICS } = settings;
  const { heartbeatMs, seenTtlMs, ...degrees } = mesh;
  const names = new Map<string, Topic>(topics.map((topic) => [topicString(topic, version), topic]));
  const limitOf = (topic: string) => {
    const name = names.get(topic);
    return name === undefined ? MAX_MESSAGE_BYTES : TOPIC_RULES[name].maxBytes;
  };
  return {
    ...degrees,
    heartbeatInterval: heartbeatMs,
    seenTTL: seenTtlMs,
    fanoutTTL: 60_000,
    pruneBackoff: 60_000,
    unsubcribeBackoff: 10_000,
    graftFloodThreshold: 10_000,
    gossipsubIWantFollowupMs: 3_000,
    opportunisticGraftTicks: 60,
    opportunisticGraftPeers: 2,
    directConnectTicks: 300,
    Dscore: 4,
    Dout: 2,
    gossipFactor: 0.25,
    doPX: false,
    emitSelf: false,
    asyncValidation: true,
    // Until a message is decompressed and has its id; its validation is not waited for.
    awaitRpcMessageHandler: true,
    allowPublishToZeroTopicPeers: true,
    globalSignaturePolicy: StrictNoSign,
    allowedTopics: [...names.keys()],
    directPeers: directPeers.map(({ id, address }) => ({ id, addrs: [multiaddr(address)] })),
    dataTransform: snappyTransform(limitOf),
    msgIdFn: ({ topic, data }) => messageId(topic, data),
    msgIdToStrFn: mapKey,
    fastMsgIdFn: await fastKeys([...names.keys()]),
    scoreParams: peerScoreParams(settings),
    scoreThresholds: SCORE_THRESHOLDS,
    decodeRpcLimits: FRAME_LIMITS,
    fallbackToFloodsub: false,
    maxInboundStreams: STREAMS_PER_CONNECTION,
    maxOutboundBufferSize: MAX_UNSENT_BYTES,
  };
}

/** Creates the service for the libp2p host. */
export async function gossipService(settings: GossipSettings): Promise<(parts: GossipSubComponents) => GossipRouter> {
  const create = gossipsub(await gossipOptions(settings));
  const { seenTtlMs } = settings.mesh;
  return (parts) =>
    hardenRouter(create(parts) as GossipRouter, {
      seenTtlMs,
      graylistThreshold: SCORE_THRESHOLDS.graylistThreshold,
      parts,
    });
}

interface PublisherOptions {
  router: Pick<GossipRouter, "publish">;
  /** Protocol version string. */
  version: string;
  logger: Logger;
  wrapper: Pick<MessageWrapper, "wrap">;
}

/** Publishes over gossipsub. */
export function gossipPublisher({ router, version, logger, wrapper }: PublisherOptions): GossipPublisher {
  const names = new Map(TOPICS.map((topic) => [topic, topicString(topic, version)]));

  async function send(topic: Topic, payload: Uint8Array): Promise<void> {
    const { maxBytes } = TOPIC_RULES[topic];
    const message = wrapper.wrap(payload, topic);
    const bytes = message.length;
    if (bytes > maxBytes) {
      logger.warn({ topic, bytes, maxBytes }, "a message is too large for topic {topic} and was not sent");
      return;
    }
    const { recipients } = await router.publish(names.get(topic) ?? topic, message);
    const peers = recipients.length;
    if (peers === 0) logger.warn({ topic }, "no peer to send a message to on topic {topic}");
    else logger.debug({ topic, peers, bytes }, "sent a message on topic {topic} to {peers} peers");
  }

  return {
    publish(topic, payload) {
      send(topic, payload).catch((error: unknown) => {
        // A peer was faster: the message is on the network already.
        if (error instanceof Error && error.message === "PublishError.Duplicate") {
          logger.debug({ topic }, "a message of this node is known on topic {topic} already");
        } else logger.error({ err: error, topic }, "a message could not be sent on topic {topic}");
      });
    },
  };
}
