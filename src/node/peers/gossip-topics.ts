import type { Values } from "../../config/options.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import type { Equivocations } from "../../mempool/attestations/equivocations.ts";
import { GossipIntake } from "../../mempool/gossip-intake.ts";
import type { TOPICS } from "../../p2p/gossip/publisher.ts";
import { type GossipTopic, TOPIC_RULES, type TopicValidator } from "../../p2p/gossip/topic.ts";
import { blockProposalValidator } from "../../p2p/gossip/topics/block-proposal-topic.ts";
import { checkpointAttestationValidator } from "../../p2p/gossip/topics/checkpoint-attestation-topic.ts";
import { checkpointProposalValidator } from "../../p2p/gossip/topics/checkpoint-proposal-topic.ts";
import type { ConsensusContext } from "../../p2p/gossip/topics/consensus-context.ts";
import { checkProposer } from "../../p2p/gossip/topics/proposal-rules.ts";
import { txTopic } from "../../p2p/gossip/topics/tx-topic.ts";
import type { TxProvider } from "../../p2p/tx-collection/tx-provider.ts";
import { blockProposalSlot, blockSigner } from "../../protocol/consensus/block-proposal.ts";
import type { ChainContext } from "../parts/chain-context.ts";
import type { MempoolPart } from "../parts/mempool.ts";
import type { Teardown } from "../teardown.ts";
import { proposalTxHashes, proposedBlocks } from "./proposed-blocks.ts";

export type TopicSettings = Pick<
  Values,
  | "alwaysReexecuteBlockProposals"
  | "disableTransactions"
  | "doubleSpendSeverePeerPenaltyWindow"
  | "fishermanMode"
  | "skipPushProposedBlocksToArchiver"
  | "validateMaxTxsPerBlock"
  | "validateMaxTxsPerCheckpoint"
>;

export interface GossipTopicsOptions {
  values: TopicSettings;
  mempool: MempoolPart;
  attestations: AttestationPool;
  committees: SlotCommittees;
  equivocations: Equivocations;
  provider: TxProvider;
  teardown: Teardown;
}

/** The topics that the node takes part in: all, but that of transactions where these are disabled. */
export function gossipTopics(context: ChainContext, options: GossipTopicsOptions): GossipTopic[] {
  const { values, mempool } = options;
  const consensus = consensusContext(context, options);
  const named = (name: (typeof TOPICS)[number], validate: TopicValidator): GossipTopic => ({
    ...TOPIC_RULES[name],
    name,
    validate,
  });
  const topics = [
    named("block_proposal", blockProposalValidator(consensus)),
    named("checkpoint_proposal", checkpointProposalValidator(consensus)),
    named("checkpoint_attestation", checkpointAttestationValidator(consensus)),
  ];
  if (values.disableTransactions) return topics;
  const intake = new GossipIntake({
    validator: mempool.validator,
    pool: mempool.pool,
    options: {
      severeWindow: values.doubleSpendSeverePeerPenaltyWindow,
      stateAt: (block) => mempool.states.after(block),
    },
  });
  return [...topics, txTopic(intake)];
}

function consensusContext(context: ChainContext, options: GossipTopicsOptions): ConsensusContext {
  const { values, mempool, attestations, committees, equivocations, provider, teardown } = options;
  const { reader, clock, loggerFor } = context;
  const blocks = proposedBlocks(context, {
    mempool,
    committees,
    txs: provider,
    reexecutes: values.alwaysReexecuteBlockProposals,
    stores: !values.skipPushProposedBlocksToArchiver,
    logger: loggerFor("p2p:proposals"),
    async brokenRule(proposal) {
      const sender = blockSigner(proposal);
      if (sender === undefined) return "the proposal has no valid signature";
      return (await checkProposer(consensus, blockProposalSlot(proposal), sender))?.reason;
    },
  });
  teardown.add("checks of proposed blocks", () => blocks.stop());
  const consensus: ConsensusContext = {
    pool: attestations,
    committees,
    equivocations,
    times: reader.identity.constants,
    now: clock.now,
    limits: {
      get txsPermitted() {
        return mempool.contexts.options.permitted;
      },
      maxTxsPerBlock: values.validateMaxTxsPerBlock ?? values.validateMaxTxsPerCheckpoint,
    },
    hashTx: (tx) => mempool.digests.hash(tx),
    observer: values.fishermanMode,
    async processBlock(proposal, from) {
      mempool.pool.protect(proposalTxHashes(proposal), blockProposalSlot(proposal));
      await blocks.process(proposal, from);
    },
    // Only validators act on the checkpoint itself; its last block was processed.
    processCheckpoint: () => undefined,
  };
  return consensus;
}
