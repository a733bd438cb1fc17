import type { Topic } from "../publisher.ts";
import { type GossipTopic, TOPIC_RULES, type TopicValidator } from "../topic.ts";
import { blockProposalValidator } from "./block-proposal-topic.ts";
import { checkpointAttestationValidator } from "./checkpoint-attestation-topic.ts";
import { checkpointProposalValidator } from "./checkpoint-proposal-topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";
import { CommitteeUnknownError, ignored } from "./proposal-rules.ts";

/** The topics of proposals and attestations. Messages of a slot are ignored while its committee cannot be read. */
export function consensusTopics(context: ConsensusContext): GossipTopic[] {
  const topic = (name: Topic, validate: TopicValidator): GossipTopic => ({
    name,
    ...TOPIC_RULES[name],
    async validate(payload, from) {
      try {
        return await validate(payload, from);
      } catch (error) {
        if (error instanceof CommitteeUnknownError) return ignored(error.message);
        throw error;
      }
    },
  });
  return [
    topic("block_proposal", blockProposalValidator(context)),
    topic("checkpoint_proposal", checkpointProposalValidator(context)),
    topic("checkpoint_attestation", checkpointAttestationValidator(context)),
  ];
}
