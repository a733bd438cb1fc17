import type { PeerScoreParams } from "@libp2p/gossipsub/score";
import { TOPICS } from "./publisher.ts";
import { topicString } from "./topic.ts";
import { type ScoredNetwork, topicScores } from "./topic-scores.ts";

export interface PeerScoring {
  network: ScoredNetwork;
  /** Protocol version string, the suffix of the topics. */
  version: string;
  /** Application score of a peer, by its id as text; -Infinity shuts it out. */
  applicationScore(peer: string): number;
  /** False where many peers may share an address, as on test networks. */
  penalizeColocation: boolean;
}

/** Scores below which gossipsub restricts a peer. */
export const SCORE_THRESHOLDS = {
  /** Gets and gives no IHAVE and IWANT. */
  gossipThreshold: -500,
  /** Gets no own messages. */
  publishThreshold: -1000,
  /** All it sends is ignored. */
  graylistThreshold: -2000,
  acceptPXThreshold: 100,
  opportunisticGraftThreshold: 5,
} as const;

/** Peers behind one address that cost nothing. */
const COLOCATED_PEERS = 10;

/** docs/protocol/10-peers.md#108-scoring */
export function peerScoreParams(scoring: PeerScoring): PeerScoreParams {
  const { network, version, applicationScore, penalizeColocation } = scoring;
  return {
    topics: Object.fromEntries(TOPICS.map((topic) => [topicString(topic, version), topicScores(topic, network)])),
    topicScoreCap: 10,
    appSpecificScore: applicationScore,
    appSpecificWeight: 10,
    IPColocationFactorWeight: penalizeColocation ? -5 : 0,
    IPColocationFactorThreshold: COLOCATED_PEERS,
    IPColocationFactorWhitelist: new Set(),
    behaviourPenaltyWeight: -10,
    behaviourPenaltyThreshold: 0,
    behaviourPenaltyDecay: 0.2,
    decayInterval: 1000,
    decayToZero: 0.1,
    retainScore: 3600 * 1000,
  };
}
