import { type GossipTopic, TOPIC_RULES } from "../topic.ts";
import { blockProposalValidator } from "./block-proposal-topic.ts";
import { checkpointAttestationValidator } from "./checkpoint-attestation-topic.ts";
import { checkpointProposalValidator } from "./checkpoint-proposal-topic.ts";
import type { ConsensusContext } from "./consensus-context.ts";

/** The topics of proposals and attestations. */
export function consensusTopics(context: ConsensusContext): GossipTopic[] {
  return [
    { name: "block_proposal", ...TOPIC_RULES.block_proposal, validate: blockProposalValidator(context) },
    { name: "checkpoint_proposal", ...TOPIC_RULES.checkpoint_proposal, validate: checkpointProposalValidator(context) },
    {
      name: "checkpoint_attestation",
      ...TOPIC_RULES.checkpoint_attestation,
      validate: checkpointAttestationValidator(context),
    },
  ];
}
