import type { Logger } from "../../telemetry/logger.ts";
import type { GossipRouter } from "../patches/gossipsub/gossip-router.ts";
import { type GossipPublisher, TOPICS, type Topic } from "./publisher.ts";
import { type MessageWrapper, TOPIC_RULES, topicString } from "./topic.ts";

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
