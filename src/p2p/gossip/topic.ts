import type { Tolerance } from "../../mempool/validation/gossip-checks.ts";
import type { Topic } from "./publisher.ts";

/** A validator's decision about one message. */
export interface GossipOutcome {
  /** Only accepted messages are forwarded; gossipsub lowers the score of a peer whose message is rejected. */
  result: "accept" | "ignore" | "reject";
  /** Application penalty of the sender; none if absent. */
  tolerance?: Tolerance;
  /** For the log. */
  reason?: string;
  /** Work that the message causes. Starts after the message was forwarded. */
  process?(): void | Promise<void>;
}

/** Decodes and checks a message. `payload` is without the wrapper, `from` is a peer id as text. May throw or reject. */
export type TopicValidator = (payload: Uint8Array, from: string) => GossipOutcome | Promise<GossipOutcome>;

/** The form of all gossiped messages of a network, before compression. */
export interface MessageWrapper {
  wrap(payload: Uint8Array, topic: Topic): Uint8Array;
  /** The payload, as a view. Throws a DecodeError. */
  unwrap(message: Uint8Array): Uint8Array;
}

/** What the network fixes for a topic, and how this node shares its resources between topics. */
interface TopicRules {
  /** Most bytes of a message with its wrapper, decompressed. */
  maxBytes: number;
  /** Messages of a topic with a lower number are validated first. */
  priority: number;
  /** Validations that run at the same time. */
  parallel: number;
  /** Most messages and bytes that wait for validation. */
  queue: { messages: number; bytes: number };
  /** Whether a message is still validated when it is too late to forward it. */
  late: "validate" | "drop";
}

export interface GossipTopic extends TopicRules {
  name: Topic;
  validate: TopicValidator;
}

const KIB = 1024;
const MIB = 1024 * KIB;
/** Largest message on any topic. */
export const MAX_MESSAGE_BYTES = 10 * MIB;

/** docs/protocol/10-peers.md#107-gossip */
export const TOPIC_RULES: Record<Topic, TopicRules> = {
  block_proposal: {
    maxBytes: MAX_MESSAGE_BYTES,
    priority: 0,
    parallel: 8,
    queue: { messages: 256, bytes: 32 * MIB },
    late: "validate",
  },
  checkpoint_proposal: {
    maxBytes: MAX_MESSAGE_BYTES,
    priority: 0,
    parallel: 8,
    queue: { messages: 256, bytes: 32 * MIB },
    late: "validate",
  },
  checkpoint_attestation: {
    maxBytes: 5 * KIB,
    priority: 1,
    parallel: 16,
    queue: { messages: 4096, bytes: 4 * MIB },
    late: "validate",
  },
  tx: {
    maxBytes: 512 * KIB,
    priority: 2,
    parallel: 16,
    queue: { messages: 512, bytes: 64 * MIB },
    late: "drop",
  },
};

/** Name of a topic on the network. `version` is the protocol version string. */
export function topicString(topic: Topic, version: string): string {
  return `/aztec/${topic}/${version}`;
}
