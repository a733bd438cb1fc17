import type { GossipIntake } from "../../../mempool/gossip-intake.ts";
import { type GossipTopic, TOPIC_RULES } from "../topic.ts";

/** Txs: checked and added to the pool; those that the pool takes are forwarded. */
export function txTopic(intake: Pick<GossipIntake, "take">): GossipTopic {
  return { name: "tx", ...TOPIC_RULES.tx, validate: (payload) => intake.take(payload) };
}
