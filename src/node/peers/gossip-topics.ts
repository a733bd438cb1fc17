import type { PartValues } from "../../config/part-values.ts";
import type { SlotCommittees } from "../../l1/committee/slot-committees.ts";
import type { AttestationPool } from "../../mempool/attestations/attestation-pool.ts";
import type { Equivocations } from "../../mempool/attestations/equivocations.ts";
import { GossipIntake } from "../../mempool/gossip-intake.ts";
import type { GossipTopic } from "../../p2p/gossip/topic.ts";
import type { ConsensusContext } from "../../p2p/gossip/topics/consensus-context.ts";
import { consensusTopics } from "../../p2p/gossip/topics/consensus-topics.ts";
import { txTopic } from "../../p2p/gossip/topics/tx-topic.ts";
import { BlockProposalHandler } from "../../p2p/proposals/block-proposal-handler.ts";
import type { ConsensusEvents } from "../../p2p/proposals/consensus-events.ts";
import type { TxProvider } from "../../p2p/tx-collection/tx-provider.ts";
import type { Teardown } from "../../process/teardown.ts";
import type { MessageRollup } from "../../protocol/consensus/message-rollup.ts";
import type { RecoverSigner } from "../../protocol/consensus/recover.ts";
import type { DutyTimes } from "../../telemetry/duty-times.ts";
import type { ChainContext } from "../context/chain-context.ts";
import type { MempoolPart } from "../context/mempool-part.ts";
import type { LivePeerSettings } from "../settings/live-peer-settings.ts";
import { validatorLimits } from "../settings/validator-limits.ts";
import { proposedBlocks } from "./proposed-blocks.ts";

interface GossipTopicsOptions {
  values: PartValues;
  /** Read for each message. */
  settings: Readonly<LivePeerSettings>;
  mempool: MempoolPart;
  attestations: AttestationPool;
  committees: SlotCommittees;
  equivocations: Equivocations;
  provider: TxProvider;
  dutyTimes: Pick<DutyTimes, "done">;
  rollup: MessageRollup;
  recover: RecoverSigner;
  events: ConsensusEvents;
  teardown: Teardown;
}

/** The topics that the node takes part in: all, but that of transactions where these are disabled. */
export function gossipTopics(context: ChainContext, options: GossipTopicsOptions): GossipTopic[] {
  const { values, mempool } = options;
  const topics = consensusTopics(consensusContext(context, options));
  if (!values.checks.permitted) return topics;
  const intake = new GossipIntake({
    validator: mempool.validator,
    pool: mempool.pool,
    options: {
      severeWindow: values.p2p.topics.severeWindow,
      stateAt: (block) => mempool.states.after(block),
    },
    transactions: mempool.contexts.rules.transactions,
  });
  const topic = txTopic(intake);
  const { drops, dropProbability } = values.p2p.topics;
  return [...topics, drops ? lossy(topic, dropProbability) : topic];
}

/** Ignores messages at random, for tests of networks that lose them. */
function lossy(topic: GossipTopic, probability: number): GossipTopic {
  return {
    ...topic,
    validate: (payload, from) =>
      Math.random() < probability ? { result: "ignore", reason: "dropped for a test" } : topic.validate(payload, from),
  };
}

function consensusContext(context: ChainContext, options: GossipTopicsOptions): ConsensusContext {
  const { values, settings, mempool, attestations, committees, equivocations, events, teardown } = options;
  const { reader, clock, loggerFor } = context;
  const check = proposedBlocks(context, {
    mempool,
    committees,
    txs: options.provider,
    limits: validatorLimits(values.validator.limits, reader.identity.constants.rollupManaLimit),
    settings,
    reexecutes: async (slot) => settings.reexecutes || (await events.executes(slot)),
  });
  const slots = { committees, rollup: options.rollup, times: reader.identity.constants, now: clock.now };
  const blocks = new BlockProposalHandler({
    ...slots,
    check,
    txPool: mempool.pool,
    dutyTimes: options.dutyTimes,
    logger: loggerFor("p2p:proposals"),
  });
  teardown.add("checks of proposed blocks", () => check.stop());
  return {
    ...slots,
    pool: attestations,
    equivocations,
    recover: options.recover,
    limits: {
      get txsPermitted() {
        return mempool.contexts.options.permitted;
      },
      maxTxsPerBlock: values.validator.limits.maxTxsPerBlock ?? values.validator.limits.maxTxsPerCheckpoint,
    },
    hashTx: (tx) => mempool.digests.hash(tx),
    observer: values.validator.observes,
    ...events.processing(blocks, () => settings.skipProposals),
  };
}
