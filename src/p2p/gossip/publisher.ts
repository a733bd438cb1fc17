export const TOPICS = ["tx", "block_proposal", "checkpoint_proposal", "checkpoint_attestation"] as const;
export type Topic = (typeof TOPICS)[number];

/** Publishes the node's own messages. */
export interface GossipPublisher {
  /**
   * `payload` is the message without the wrapper. Returns at once: a message that cannot be sent (no peers, already
   * seen) is logged.
   */
  publish(topic: Topic, payload: Uint8Array): void;
}
