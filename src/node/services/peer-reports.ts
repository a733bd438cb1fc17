import { TOPICS } from "../../p2p/gossip/publisher.ts";
import { topicString } from "../../p2p/gossip/topic.ts";
import type { PeerNode } from "../../p2p/peer-node.ts";
import { type ListedPeers, ProtectedPeers } from "../../p2p/peers/protected-peers.ts";
import type { PeerReport } from "../../rpc/admin/ports/node-reports.ts";

interface ReportedPeers {
  node: Pick<PeerNode, "host" | "peers" | "scores">;
  listed: ListedPeers;
  /** Protocol version string. */
  version: string;
}

/** The connected peers, with what gossip and requests made of them. */
export function peerReports({ node, listed, version }: ReportedPeers): PeerReport[] {
  const { peers, scores, host } = node;
  const router = host.services.gossip;
  const known = new ProtectedPeers(listed);
  const meshes = TOPICS.map((topic) => ({ topic, members: new Set(router.getMeshPeers(topicString(topic, version))) }));
  return peers.peers().map(({ id, ip, inbound, since }) => ({
    id,
    ip,
    inbound,
    connectedAt: since,
    score: scores.score(id),
    gossipScore: shown(router.getScore(id)),
    state: scores.health(id),
    meshes: meshes.filter(({ members }) => members.has(id)).map(({ topic }) => topic),
    listed: known.has(id),
  }));
}

/** JSON has no infinity, which is the score of a peer that is shut out. */
function shown(score: number): number {
  return Number.isFinite(score) ? score : Math.sign(score) * Number.MAX_SAFE_INTEGER;
}
