import { validatePeerScoreParams } from "@libp2p/gossipsub/score";
import { expect, test } from "vitest";
import { peerScoreParams } from "../../../src/p2p/gossip/peer-score-params.ts";
import { TOPICS } from "../../../src/p2p/gossip/publisher.ts";
import { topicString } from "../../../src/p2p/gossip/topic.ts";
import { type ScoredNetwork, topicScores } from "../../../src/p2p/gossip/topic-scores.ts";
import { gossipVectors } from "../support/gossip-vectors.ts";

const { topicScoreParams, topics, version } = gossipVectors();

test.each(Object.entries(topicScoreParams))("score parameters of %s are the network's on every topic", (_, vector) => {
  const network: ScoredNetwork = {
    slotDurationMs: vector.slotDurationMs,
    heartbeatMs: vector.heartbeatMs,
    committeeSize: vector.targetCommitteeSize,
    blockDurationMs: vector.blockDurationMs,
    blockProposalsPerSlot: vector.expectedBlockProposalsPerSlot,
  };
  for (const topic of TOPICS) {
    const own: Record<string, number> = { ...topicScores(topic, network) };
    expect(Object.keys(own).sort(), topic).toEqual(Object.keys(vector.params[topic]).sort());
    for (const [name, value] of Object.entries(vector.params[topic])) expect(own[name], name).toBeCloseTo(value, 9);
  }
});

test("without a configured number, block proposals are scored by how many blocks fit into a slot", () => {
  const network = { slotDurationMs: 72_000, heartbeatMs: 700, committeeSize: 48 };
  // (72 - 1 - (6 + 1 + 4 + 12)) / 6 = 8 blocks, of which the last travels in the checkpoint proposal.
  const derived = topicScores("block_proposal", {
    ...network,
    blockDurationMs: 6_000,
    blockProposalsPerSlot: undefined,
  });
  const given = topicScores("block_proposal", { ...network, blockDurationMs: 6_000, blockProposalsPerSlot: 7 });
  expect(derived).toEqual(given);
  const single = topicScores("block_proposal", {
    ...network,
    blockDurationMs: undefined,
    blockProposalsPerSlot: undefined,
  });
  expect(single.meshMessageDeliveriesWeight).toBe(0);
});

test("gossipsub accepts the parameters of all topics, and each topic's name ends with the version", () => {
  const network = {
    slotDurationMs: 24_000,
    heartbeatMs: 700,
    committeeSize: 4,
    blockDurationMs: 5_000,
    blockProposalsPerSlot: 0,
  };
  const params = peerScoreParams({ network, version, applicationScore: () => 0, penalizeColocation: true });
  expect(() => validatePeerScoreParams(params)).not.toThrow();
  expect(Object.keys(params.topics)).toEqual(TOPICS.map((topic) => topics[topic]));
  expect(TOPICS.map((topic) => topicString(topic, version))).toEqual(TOPICS.map((topic) => topics[topic]));
});
