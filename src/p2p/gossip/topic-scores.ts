import type { TopicScoreParams } from "@libp2p/gossipsub/score";
import type { Topic } from "./publisher.ts";

/** What the expected number of messages on each topic follows from. */
export interface ScoredNetwork {
  slotDurationMs: number;
  /** Interval of gossipsub's heartbeat. */
  heartbeatMs: number;
  committeeSize: number;
  /** Undefined where a slot has one block. */
  blockDurationMs: number | undefined;
  /** Block proposals that a peer is expected to deliver per slot, 0 for none; undefined: from the block duration. */
  blockProposalsPerSlot: number | undefined;
}

/** Largest score for time in the mesh, reached after an hour. */
const MAX_FOR_TIME = 8;
const SECONDS_FOR_TIME = 3600;
/** Largest score for first deliveries. */
const MAX_FOR_FIRST = 25;
/** Lowest score for a peer that delivers nothing: it outweighs what it can gain otherwise, and the peer is pruned. */
const MIN_FOR_DELIVERIES = -(MAX_FOR_TIME + MAX_FOR_FIRST + 1);
/** Share of the expected deliveries that a peer must reach. */
const DEMANDED_SHARE = 0.3;
/** Slots in which a counter decays to one hundredth. */
const DECAY_SLOTS = { first: 2, invalid: 4 };
const INVALID_WEIGHT = -20;
/** After this many decay windows in the mesh, a peer's deliveries count. */
const WINDOWS_BEFORE_COUNTING = 5;
/** A duplicate that arrives within this many milliseconds of the first counts as a delivery. */
const DELIVERY_WINDOW_MS = 5_000;

/** Seconds of a slot that are not for building blocks, besides one block's duration. */
const OUTSIDE_BLOCKS = { initialization: 1, assembly: 1, propagation: 4, publication: 12 };

function blocksPerSlot({ slotDurationMs, blockDurationMs }: ScoredNetwork): number {
  if (blockDurationMs === undefined) return 1;
  const [slot, block] = [slotDurationMs / 1000, blockDurationMs / 1000];
  const { initialization, assembly, propagation, publication } = OUTSIDE_BLOCKS;
  return Math.max(1, Math.floor((slot - initialization - (block + assembly + propagation + publication)) / block));
}

/** Messages per slot that each peer of the mesh is expected to deliver on a topic; 0 if none are expected. */
function expectedPerSlot(topic: Topic, network: ScoredNetwork): number {
  const { blockProposalsPerSlot = blocksPerSlot(network) - 1, committeeSize } = network;
  return {
    tx: 0,
    block_proposal: blockProposalsPerSlot,
    checkpoint_proposal: 1,
    checkpoint_attestation: committeeSize,
  }[topic];
}

/** Score parameters of one topic (docs/protocol/10-peers.md#108-scoring). */
export function topicScores(topic: Topic, network: ScoredNetwork): TopicScoreParams {
  const { slotDurationMs, heartbeatMs } = network;
  const heartbeats = slotDurationMs / heartbeatMs;
  /** Factor per heartbeat that leaves one hundredth after a number of slots. */
  const decayOver = (slots: number) => 0.01 ** (1 / (heartbeats * slots));
  const common = {
    topicWeight: 1,
    invalidMessageDeliveriesWeight: INVALID_WEIGHT,
    invalidMessageDeliveriesDecay: decayOver(DECAY_SLOTS.invalid),
  };
  const expected = expectedPerSlot(topic, network);
  if (expected <= 0) {
    return {
      ...common,
      timeInMeshWeight: 0,
      timeInMeshQuantum: 1,
      timeInMeshCap: 0,
      firstMessageDeliveriesWeight: 0,
      firstMessageDeliveriesDecay: 0.5,
      firstMessageDeliveriesCap: 0,
      meshMessageDeliveriesWeight: 0,
      meshMessageDeliveriesDecay: 0.5,
      meshMessageDeliveriesCap: 0,
      meshMessageDeliveriesThreshold: 0,
      meshMessageDeliveriesWindow: 0,
      meshMessageDeliveriesActivation: 0,
      meshFailurePenaltyWeight: 0,
      meshFailurePenaltyDecay: 0.5,
    };
  }
  const timeCap = SECONDS_FOR_TIME / (slotDurationMs / 1000);
  const firstDecay = decayOver(DECAY_SLOTS.first);
  const firstCap = 1 / (1 - firstDecay);
  const window = expected <= 1 ? 5 : expected <= 10 ? 3 : 2;
  const decay = decayOver(window);
  const threshold = (DEMANDED_SHARE * (expected / heartbeats)) / (1 - decay);
  const weight = MIN_FOR_DELIVERIES / (threshold * threshold);
  return {
    ...common,
    timeInMeshWeight: MAX_FOR_TIME / timeCap,
    timeInMeshQuantum: slotDurationMs,
    timeInMeshCap: timeCap,
    firstMessageDeliveriesWeight: MAX_FOR_FIRST / firstCap,
    firstMessageDeliveriesDecay: firstDecay,
    firstMessageDeliveriesCap: firstCap,
    meshMessageDeliveriesWeight: weight,
    meshMessageDeliveriesDecay: decay,
    meshMessageDeliveriesCap: Math.max(threshold * (expected > 10 ? 8 : 4), 2),
    meshMessageDeliveriesThreshold: threshold,
    meshMessageDeliveriesWindow: DELIVERY_WINDOW_MS,
    meshMessageDeliveriesActivation: slotDurationMs * window * WINDOWS_BEFORE_COUNTING,
    meshFailurePenaltyWeight: weight,
    meshFailurePenaltyDecay: decay,
  };
}
