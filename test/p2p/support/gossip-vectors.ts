import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import type { Topic } from "../../../src/p2p/gossip/publisher.ts";

interface ScoreVector {
  slotDurationMs: number;
  heartbeatMs: number;
  targetCommitteeSize: number;
  blockDurationMs: number;
  expectedBlockProposalsPerSlot: number;
  params: Record<Topic, Record<string, number>>;
}

export interface GossipVectors {
  version: string;
  topics: Record<Topic, string>;
  messages: { name: string; topic: string; compressed: string; messageId: string; wrapped?: string }[];
  topicScoreParams: Record<string, ScoreVector>;
}

export function gossipVectors(): GossipVectors {
  const file = new URL("../../fixtures/p2p/gossip.json.gz", import.meta.url);
  return JSON.parse(gunzipSync(readFileSync(file)).toString("utf8"));
}
